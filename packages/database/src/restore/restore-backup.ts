import pg from 'pg';
import { restartIngestLife } from '../alerts/ingest-life.ts';
import { type Author, recordAudit } from '../audit/record-audit.ts';
import { createTables, fitsMigrations, migrate } from '../migrations/migrate.ts';
import { rebuildProjection } from '../projection/projection.ts';
import { runRound } from '../projection/run-round.ts';
import { connect } from '../sql/connect.ts';
import { planByKeys } from '../sql/open-client.ts';
import { type ChangedAccess, compareAccess } from './compare-access.ts';
import { type BackupContent, loadBackup } from './load-backup.ts';
import { connectRestore, openRestore, RestoreRefusedError, restoreSchema } from './open-restore.ts';
import { switchSchemas } from './switch-schemas.ts';

interface RestoreOptions {
  readonly url: string;
  readonly backup: BackupContent & {
    /** The migrations that were applied, and the installation that it is of. */
    readonly migrations: readonly string[];
    readonly installation: string;
    /** When it was taken, and by which version of the product. */
    readonly createdAt: string;
    readonly product: string;
  };
  /** Who restores it. The audit log is that of the backup, with one more entry. */
  readonly author: Author;
  /** Called when a step begins. */
  readonly onStep: (step: 'load' | 'migrate' | 'derive' | 'switch') => void;
}

export interface Restored {
  /** The schema with the tables from before; undefined if there were none. */
  readonly previous: string | undefined;
  /** Quarter hours whose numbers were derived from their crossings. */
  readonly quarters: number;
  /** Tables in the backup that are not part of the product. */
  readonly leftOut: readonly string[];
  /** The programs served another installation before. */
  readonly isOtherInstallation: boolean;
  /** The error that prevented reading which reports were mailed after the backup: these are mailed again. */
  readonly unknownMails: unknown;
  /** Which credentials and secrets work again or no longer; undefined if the data from before cannot be compared. */
  readonly access: ChangedAccess | undefined;
}

/**
 * Restores a backup into new tables, compares the numbers of rows, brings the tables up to date, derives all numbers from
 * the crossings, and then makes the tables those of the programs, in one transaction. Whatever fails before its commit
 * changes nothing for the programs. The previous tables are in another schema until the next restore. Throws a
 * RestoreRefusedError if the backup does not fit.
 */
export async function restoreBackup(options: RestoreOptions): Promise<Restored> {
  const { url, backup, author, onStep } = options;
  if (!fitsMigrations(backup.migrations)) throw new RestoreRefusedError(unknownSchema(backup.migrations));
  await using place = await openRestore(url);
  const { client, live, installation } = place;
  onStep('load');
  await createTables(place.url, backup.migrations);
  const leftOut = await loadBackup(place.url, backup);
  onStep('migrate');
  await migrate(place.url);
  onStep('derive');
  const quarters = await deriveNumbers(place.url);
  onStep('switch');
  const older = await findPrevious(client);
  const previous = nameOfPrevious(Date.now());
  const { createdAt, product } = backup;
  const subject = { kind: 'database', key: live } as const;
  const change = { action: 'restored', company: null, subject, details: { createdAt, product, previous } };
  const isOtherInstallation = installation !== undefined && installation !== backup.installation;
  let unknownMails: unknown;
  let access: ChangedAccess | undefined;
  const record = async (client: pg.ClientBase) => {
    unknownMails = installation === undefined ? undefined : await keepSentReports(client, previous);
    if (installation === backup.installation)
      access = await readable(client, () => compareAccess(client, previous));
    await restartIngestLife(client);
    await recordAudit(client, author, change);
  };
  await switchSchemas(client, { live, incoming: restoreSchema, aside: previous, record });
  const outdated = installation === undefined ? [previous, ...older] : older;
  for (const name of outdated) await dropSchema(client, name).catch(() => {});
  return {
    quarters,
    leftOut,
    previous: installation === undefined ? undefined : previous,
    isOtherInstallation,
    unknownMails,
    access,
  };
}

function unknownSchema(migrations: readonly string[]): string {
  const last = migrations.at(-1) ?? 'none';
  return `the backup has a schema that this release does not know (last migration ${last}): expected one of this release or of an earlier one. Restore it with the release that has this schema, or with a later one`;
}

/**
 * Derives all numbers from crossings and corrections, whatever the backup has, except those whose crossings may be removed.
 * Returns the number of quarter hours.
 */
async function deriveNumbers(url: string): Promise<number> {
  const database = connect(url, { applicationName: 'visitor-counter restore' });
  /* Rounds of the projector send statements together. */
  const client = await connectRestore(url, { pipeline: true });
  try {
    const quarters = await database.kysely.transaction().execute(rebuildProjection);
    await client.query(planByKeys);
    while ((await runRound(client)).more);
    return quarters;
  } finally {
    await client.end().catch(() => {});
    await database.close();
  }
}

/** The beginning of the names of schemas that restores have replaced. The time follows, so they are in its order. */
const prefix = 'before_restore_';

/** The name for the schema that a restore replaces. */
function nameOfPrevious(now: number): string {
  return `${prefix}${new Date(now).toISOString().slice(0, 23).replaceAll(/[-:.]/g, '').toLowerCase()}`;
}

/** The schemas that restores have replaced, newest first. */
async function findPrevious(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    'select nspname::text as name from pg_namespace where starts_with(nspname, $1) order by nspname desc',
    [prefix],
  );
  return rows.map(({ name }) => name);
}

/** Deletes a schema with everything in it. */
async function dropSchema(client: pg.Client, name: string): Promise<void> {
  await client.query(`drop schema ${pg.escapeIdentifier(name)} cascade`);
}

/** Reads from tables that may be damaged; undefined if that fails, which the transaction survives. */
async function readable<Read>(client: pg.ClientBase, read: () => Promise<Read>): Promise<Read | undefined> {
  await client.query('savepoint reading');
  return await read().catch(async () => {
    await client.query('rollback to savepoint reading');
    return undefined;
  });
}

/**
 * Takes over, from the tables that a restore of the same installation has replaced, which reports were mailed: those that were
 * mailed after the backup must not be mailed again. Reports that the backup does not have are left out. A database is restored
 * also if its previous tables cannot be read: then it changes nothing and returns the error.
 */
async function keepSentReports(client: pg.ClientBase, previous: string): Promise<unknown> {
  const schema = pg.escapeIdentifier(previous);
  await client.query('savepoint sent_reports');
  try {
    await client.query(`delete from report_mail where mail_report_id in (${same(schema)})`);
    await client.query(keepStatement(schema));
    return undefined;
  } catch (error) {
    await client.query('rollback to savepoint sent_reports');
    return error;
  }
}

/** The ids of the reports that are the same before and after. */
const same = (schema: string) => `
  select id from mail_report join ${schema}.mail_report before using (id, company_id, name)
  where (select id from installation) = (select id from ${schema}.installation)`;

const columns = `id, mail_report_id, first_date, last_date, version, counted_until, remaining, attempts, next_attempt_at,
  delivered_at, given_up_at, last_problem, visitors, counted_from, digest, seen_digest, seen_at`;

const keepStatement = (schema: string) => `
  insert into report_mail (${columns})
  select ${columns} from ${schema}.report_mail where mail_report_id in (${same(schema)})`;
