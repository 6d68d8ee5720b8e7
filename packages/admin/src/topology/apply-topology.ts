import type { Author } from '@visitor-counter/database/audit/record-audit';
import { saveAlertRule } from '@visitor-counter/database/configuration/alert-rule';
import { saveAlertTarget } from '@visitor-counter/database/configuration/alert-target';
import { findOwner, saveCompany } from '@visitor-counter/database/configuration/company';
import { saveCredential } from '@visitor-counter/database/configuration/credential';
import { saveDevice } from '@visitor-counter/database/configuration/device';
import { saveMailReport } from '@visitor-counter/database/configuration/mail-report';
import { InvalidField, pathOf } from '@visitor-counter/database/configuration/read-entry';
import { changeConfiguration, type Saved } from '@visitor-counter/database/configuration/save-row';
import { saveShopGroup } from '@visitor-counter/database/configuration/shop-group';
import { saveStore } from '@visitor-counter/database/configuration/store';
import type { SecretsKey } from '@visitor-counter/database/secrets/secrets-key';
import type { Database } from '@visitor-counter/database/sql/connect';
import type { DB } from '@visitor-counter/database/sql/schema';
import { cleanName, nameKey } from '@visitor-counter/domain/name-key';
import type { ValueProblem } from '@visitor-counter/domain/read-value';
import type { Transaction } from 'kysely';
import { InvalidFileError } from '../file/problems.ts';
import type { Entry, ReadCompany, ReadTopology } from '../file/read-topology.ts';
import { type Applied, type Change, changeOf, type NewSecret, secretOf } from './applied.ts';

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

  constructor(problems: readonly ValueProblem[], key: SecretsKey | undefined) {
    this.problems = [...problems];
    this.#key = key;
  }

  async save(trx: Transaction<DB>, company: ReadCompany): Promise<void> {
    const name = cleanName(company.given.name);
    await this.#each(
      'company',
      name,
      [company],
      company,
      () => name,
      (given) => saveCompany(trx, given),
    );
    const owner = await findOwner(trx, name);
    if (owner === undefined) return;
    const each = <Given>(
      kind: Change['kind'],
      entries: readonly Entry<Given>[],
      keyOf: (given: Given) => string,
      save: (given: Given) => Promise<Saved>,
    ) => this.#each(kind, name, entries, company, keyOf, save);
    await each(
      'store',
      company.stores,
      ({ sid }) => sid,
      (one) => saveStore(trx, owner, one),
    );
    await each(
      'shopGroup',
      company.shopGroups,
      ({ name }) => cleanName(name),
      (one) => saveShopGroup(trx, owner, one),
    );
    await each(
      'device',
      company.devices,
      ({ serial }) => serial,
      (one) => saveDevice(trx, owner, one),
    );
    await each(
      'credential',
      company.credentials,
      ({ kind, label }) => `${kind}/${label}`,
      (one) => saveCredential(trx, owner, one),
    );
    await each(
      'alertRule',
      company.alertRules,
      ({ kind }) => kind,
      (one) => saveAlertRule(trx, owner, one),
    );
    await each(
      'alertTarget',
      company.alertTargets,
      ({ label }) => label,
      (one) => saveAlertTarget(trx, owner, one, this.#key),
    );
    await each(
      'report',
      company.reports,
      ({ name }) => cleanName(name),
      (one) => saveMailReport(trx, owner, one),
    );
  }

  async #each<Given>(
    kind: Change['kind'],
    name: string,
    entries: readonly Entry<Given>[],
    company: ReadCompany,
    keyOf: (given: Given) => string,
    save: (given: Given) => Promise<Saved>,
  ): Promise<void> {
    for (const { path, given } of entries) {
      try {
        this.#add({ kind, key: keyOf(given), company: name }, await save(given));
      } catch (error) {
        if (!(error instanceof InvalidField)) throw error;
        for (const problem of error.problems)
          this.#addProblem({ ...problem, path: pathOf(path, problem.path) }, error, company);
      }
    }
  }

  #add(about: Pick<Change, 'kind' | 'key' | 'company'>, saved: Saved): void {
    const change = changeOf(about, saved);
    if (change) this.changes.push(change);
    else this.unchanged += 1;
    const secret = secretOf(about, saved);
    if (secret) this.secrets.push(secret);
  }

  /** Consequences of other problems are left out: of a field that cannot be read, and of an entry that was not saved. */
  #addProblem(problem: ValueProblem, { unknown }: InvalidField, { stores, shopGroups }: ReadCompany): void {
    const isReported = this.problems.some(({ path }) => path.replace(/\[\d+\]$/, '') === problem.path);
    const named = String('value' in problem && problem.value);
    const isInFile =
      (unknown === 'store' && stores.some(({ given }) => given.sid === named)) ||
      (unknown === 'group' && shopGroups.some(({ given }) => nameKey(given.name) === nameKey(named)));
    if (!isReported && !isInFile) this.problems.push(problem);
  }
}
