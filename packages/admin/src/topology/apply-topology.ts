import type { Author } from '@visitor-counter/database/audit/audit-log';
import { InvalidField, pathOf } from '@visitor-counter/database/configuration/read-entry';
import { changeConfiguration, type Saved } from '@visitor-counter/database/configuration/save-row';
import type { SecretsKey } from '@visitor-counter/database/secrets/secrets-key';
import type { Database } from '@visitor-counter/database/sql/connect';
import type { Transaction } from '@visitor-counter/database/sql/query-builder';
import type { ValueProblem } from '@visitor-counter/domain/read-value';
import { findCompany } from '../command/find.ts';
import { InvalidFileError } from '../file/problems.ts';
import type { ReadCompany } from '../file/read-topology.ts';
import { type About, type Applied, appliedOf } from './applied.ts';

interface ApplyOptions {
  /** The key of webhooks; undefined if there is none. */
  readonly secretsKey?: SecretsKey | undefined;
  /** Undo everything at the end. */
  readonly dryRun?: true | undefined;
}

/**
 * Saves the entries of a file, in one transaction. Throws InvalidFileError with all problems that depend on the database, and
 * a ConfigurationError if a webhook needs another key. After any error nothing was changed.
 */
export async function applyTopology(
  db: Database,
  author: Author,
  file: string,
  companies: readonly ReadCompany[],
  { secretsKey, dryRun }: ApplyOptions = {},
): Promise<Applied> {
  let saved: SavedEntry[] = [];
  await changeConfiguration(db.kysely, author, async (trx) => {
    saved = await saveAll(trx, file, companies, secretsKey);
    if (dryRun) throw new DryRun();
  }).catch((error: unknown) => {
    if (!(error instanceof DryRun)) throw error;
  });
  return appliedOf(saved);
}

class DryRun extends Error {}

type SavedEntry = readonly [About, Saved];

async function saveAll(
  trx: Transaction,
  file: string,
  companies: readonly ReadCompany[],
  secretsKey: SecretsKey | undefined,
): Promise<SavedEntry[]> {
  const all: SavedEntry[] = [];
  const problems: ValueProblem[] = [];
  for (const { company, owned } of companies) {
    const { kind, key, save } = company;
    all.push([{ kind, key, company: key }, await save(trx, { id: 0, name: key }, undefined)]);
    const owner = await findCompany(trx, key);
    for (const { kind, key, path, save } of owned) {
      try {
        all.push([{ kind, key, company: owner.name }, await save(trx, owner, secretsKey)]);
      } catch (error) {
        if (!(error instanceof InvalidField)) throw error;
        problems.push(...error.problems.map((one) => ({ ...one, path: pathOf(path, one.path) })));
      }
    }
  }
  if (problems.length > 0) throw new InvalidFileError(file, problems);
  return all;
}
