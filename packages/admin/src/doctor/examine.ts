import { missingRights } from '@visitor-counter/database/access/access-roles';
import {
  databaseUrl,
  dataFolder,
  findDatabase,
  type ReadReplica,
} from '@visitor-counter/database/embedded/find-database';
import {
  type DatabaseFacts,
  inspectDatabase,
  readDatabaseState,
} from '@visitor-counter/database/fleet/database-state';
import { readFleetState } from '@visitor-counter/database/fleet/fleet-state';
import { readSchemaState } from '@visitor-counter/database/migrations/schema-state';
import { connect, type Database } from '@visitor-counter/database/sql/connect';
import { requireOwnSession } from '@visitor-counter/database/sql/unavailable';
import { readServerConfiguration, settingNames } from '@visitor-counter/server/roles';
import type { Environment } from '@visitor-counter/service/settings/environment';
import { checkCertificates } from './check-certificates.ts';
import { checkCounting } from './check-counting.ts';
import { checkReplica, judgeDatabase, judgeError, judgeRights, judgeSchema } from './check-database.ts';
import { checkBackups, checkClock, checkDisks, type OtherClocks } from './check-machine.ts';
import { checkService } from './check-service.ts';
import { checkSettings, readSettingsFile } from './check-settings.ts';
import { type Finding, problem } from './finding.ts';
import { type Installation, installationOf } from './installation.ts';

/** All findings, in the order in which an operator should read them. */
export async function examine(env: Environment, backups: string | undefined): Promise<Finding[]> {
  const text = await readSettingsFile(env['COUNTER_ENVIRONMENT']);
  if (typeof text === 'object') return [text];
  const installation = installationOf(env);
  const folder = backups ?? (env['BACKUP_DIR'] || installation.backups);
  const configuration = await readServerConfiguration(env);
  const database = await examineDatabase(env, configuration.api?.replica, installation);
  const { facts, clocks = {}, backupAt } = database;
  return [
    ...(await checkSettings(env, configuration, { text, known: settingNames() }, installation)),
    ...(await checkCertificates(configuration, installation)),
    ...(await checkService(configuration, installation)),
    ...database.findings,
    await checkClock(clocks),
    ...(await checkDisks([...configuration.disks, ...embeddedFolder(env), folder ?? '/'], facts)),
    await checkBackups({ folder, recordedAt: backupAt }, Date.now(), installation),
  ];
}

/** The folder of the embedded database, whose disk may be the reason why it does not answer; none with DATABASE_URL. */
function embeddedFolder(env: Environment): string[] {
  try {
    return databaseUrl(env) === undefined ? [dataFolder(env)] : [];
  } catch {
    /* Other checks report a setting that cannot be used. */
    return [];
  }
}

interface ExaminedDatabase {
  readonly findings: Finding[];
  /** Undefined if it does not answer. */
  facts?: DatabaseFacts;
  clocks?: OtherClocks;
  /** When the latest backup was taken that it records (epoch ms). */
  backupAt?: number | undefined;
}

async function examineDatabase(
  env: Environment,
  replica: ReadReplica | undefined,
  installation: Installation,
): Promise<ExaminedDatabase> {
  const url = await findDatabase(env).catch((error: Error) => error);
  if (url instanceof Error) {
    const { settings, setupDatabase } = installation;
    const advice = `Set DATABASE_URL in ${settings}. To make a database: ${setupDatabase}`;
    return { findings: [problem('database', url.message, advice)] };
  }
  const options = { applicationName: 'visitor-counter doctor', maxConnections: 2, readOnly: true };
  const db = connect(url, { ...options, queryDeadline: 15_000 });
  const examined: ExaminedDatabase = { findings: [] };
  try {
    examined.facts = await inspectDatabase(db);
    const place = { url, isEmbedded: databaseUrl(env) === undefined };
    examined.findings.push(...judgeDatabase(examined.facts, place, installation));
    if (await isUsable(db, examined, installation)) await examineData(db, examined, installation);
    if (replica) examined.findings.push(...(await checkReplica(db, replica, installation)));
  } catch (error) {
    examined.findings.push(judgeError(error, url, installation));
  } finally {
    await db.close();
  }
  return examined;
}

/** Whether programs of this release can read the tables. */
async function isUsable(
  db: Database,
  { findings }: ExaminedDatabase,
  installation: Installation,
): Promise<boolean> {
  const schema = await readSchema(db);
  findings.push(judgeSchema(schema, installation));
  if (schema.missing.length + schema.unknown.length > 0) return false;
  const missing = await missingRights(db.kysely);
  findings.push(judgeRights(missing, installation));
  return missing.length === 0;
}

async function examineData(
  db: Database,
  examined: ExaminedDatabase,
  installation: Installation,
): Promise<void> {
  const { clockAhead, backupAt } = await readDatabaseState(db.kysely);
  const fleet = await readFleetState(db.kysely);
  examined.clocks = { database: clockAhead * 1_000, units: (fleet.clockAhead ?? 0) * 1_000 };
  examined.backupAt = backupAt === null ? undefined : backupAt * 1_000;
  examined.findings.push(...(await checkCounting(db, fleet, installation)));
}

async function readSchema({ pool }: Database) {
  const client = await pool.connect();
  try {
    await requireOwnSession(pool, client);
    return await readSchemaState(client);
  } finally {
    client.release();
  }
}
