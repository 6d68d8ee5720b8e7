import type { Author } from '@visitor-counter/database/audit/record-audit';
import { findOwner } from '@visitor-counter/database/configuration/company';
import { InvalidField, pathOf } from '@visitor-counter/database/configuration/read-entry';
import { changeConfiguration, type Saved } from '@visitor-counter/database/configuration/save-row';
import type { SecretsKey } from '@visitor-counter/database/secrets/secrets-key';
import type { Database } from '@visitor-counter/database/sql/connect';
import type { DB } from '@visitor-counter/database/sql/schema';
import { nameKey } from '@visitor-counter/domain/name-key';
import type { ValueProblem } from '@visitor-counter/domain/read-value';
import type { Transaction } from 'kysely';
import type { Entry } from '../file/lists.ts';
import { InvalidFileError } from '../file/problems.ts';
import type { ReadCompany, ReadTopology } from '../file/read-topology.ts';
import { type About, type Applied, type Change, changeOf, type NewSecret, secretOf } from './applied.ts';

interface ApplyOptions {
  /** The key of webhooks; undefined if there is none. */
  readonly secretsKey?: SecretsKey | undefined;
  /** Undo everything at the end. */
  readonly dryRun?: true | undefined;
}

/**
 * Saves the entries of a file, in one transaction. Throws InvalidFileError with all problems of the file, and a
 * ConfigurationError if a webhook needs another key. After any error nothing was changed.
 */
export async function applyTopology(
  db: Database,
  author: Author,
  file: string,
  read: ReadTopology,
  { secretsKey, dryRun }: ApplyOptions = {},
): Promise<Applied> {
  const application = () => new Application(read.problems, secretsKey);
  let result: Application = application();
  await changeConfiguration(db.kysely, author, async (trx) => {
    result = application();
    for (const company of read.companies) await result.save(trx, company);
    if (result.problems.length > 0) throw new InvalidFileError(file, result.problems);
    if (dryRun) throw new DryRun();
  }).catch((error: unknown) => {
    if (!(error instanceof DryRun)) throw error;
  });
  const { changes, secrets, unchanged } = result;
  return { changes, secrets, unchanged };
}

class DryRun extends Error {}

/** What applying a file has done so far, and the problems that it has found. */
class Application {
  readonly changes: Change[] = [];
  readonly secrets: NewSecret[] = [];
  unchanged = 0;
  readonly problems: ValueProblem[];
  readonly #key: SecretsKey | undefined;
  /** The entries that were not saved. */
  readonly #failed = new Set<string>();

  constructor(problems: readonly ValueProblem[], key: SecretsKey | undefined) {
    this.problems = [...problems];
    this.#key = key;
  }

  async save(trx: Transaction<DB>, { company, owned }: ReadCompany): Promise<void> {
    const { key, save } = company;
    this.#add({ kind: 'company', key, company: key }, await save(trx, { id: 0, name: key }, undefined));
    const owner = await findOwner(trx, key);
    if (owner === undefined) throw new Error(`the company ${key} was not saved`);
    for (const entry of owned) {
      try {
        const about = { kind: entry.kind, key: entry.key, company: owner.name };
        this.#add(about, await entry.save(trx, owner, this.#key));
      } catch (error) {
        if (!(error instanceof InvalidField)) throw error;
        for (const problem of error.problems)
          this.#addProblem({ ...problem, path: pathOf(entry.path, problem.path) }, error);
        this.#failed.add(nameIn(entry.kind, entry.key));
      }
    }
  }

  #add(one: About, saved: Saved): void {
    const change = changeOf(one, saved);
    if (change) this.changes.push(change);
    else this.unchanged += 1;
    const secret = secretOf(one, saved);
    if (secret) this.secrets.push(secret);
  }

  /** Consequences of other problems are left out: of a field that cannot be read, and of an entry that was not saved. */
  #addProblem(problem: ValueProblem, { unknown }: InvalidField): void {
    const isReported = this.problems.some(({ path }) => path.replace(/\[\d+\]$/, '') === problem.path);
    const kind = unknown === 'group' ? 'shopGroup' : unknown;
    const hasFailed =
      kind !== undefined && 'value' in problem && this.#failed.has(nameIn(kind, String(problem.value)));
    if (!isReported && !hasFailed) this.problems.push(problem);
  }
}

/** Sids are compared exactly, names without case. */
function nameIn(kind: Entry['kind'], key: string): string {
  return `${kind} ${kind === 'store' ? key : nameKey(key)}`;
}
