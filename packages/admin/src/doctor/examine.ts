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
import { requireOwnSession } from '@visitor-counter/database/sql/unusable';
import { readServerConfiguration, settingNames } from '@visitor-counter/server/roles';
import { isClockSynchronised } from '@visitor-counter/service/clock-synchronised';
import type { Environment } from '@visitor-counter/service/settings/environment';
import { checkBackups } from './check-backups.ts';
import { checkCertificates, checkSettings, findUnreadable } from './check-configuration.ts';
import { checkCounting, judgeGaps } from './check-counting.ts';
import { judgeDatabase, judgeError, judgeRights } from './check-database.ts';
import { checkDisks } from './check-disk.ts';
import { checkReplica } from './check-replica.ts';
import { checkService } from './check-service.ts';
import { type Finding, type Installation, installationOf, ok, problem, warning } from './finding.ts';

/** All findings, in the order in which an operator should read them. */
export async function examine(env: Environment, backups: string | undefined): Promise<Finding[]> {
  const unreadable = await findUnreadable(env);
  if (unreadable !== undefined) return [unreadable];
  const installation = installationOf(env);
  const backupFolder = backups ?? (env['BACKUP_DIR'] || installation.backups);
  const configuration = await readServerConfiguration(env);
  /* First: a server that was just started creates its tables, and begins to store. */
  const service = await checkService(configuration, installation);
  const [settings, certificates, database] = await Promise.all([
    checkSettings(env, configuration, settingNames(), installation),
    checkCertificates(configuration, installation),
    examineDatabase(env, configuration.api?.replica, installation),
  ]);
  const { findings, facts, backupAt: recordedAt } = database;
  return [
    ...settings,
    ...certificates,
    ...service,
    ...findings,
    judgeClock(await isClockSynchronised(), database),
    ...(await checkDisks([...configuration.disks, ...embeddedFolders(env), backupFolder ?? '/'], facts)),
    await checkBackups({ folder: backupFolder, recordedAt }, Date.now(), installation),
  ];
}

/** The folder of the embedded database, whose disk may be the reason why it does not answer; none with DATABASE_URL. */
function embeddedFolders(env: Environment): string[] {
  try {
    return databaseUrl(env) === undefined ? [dataFolder(env)] : [];
  } catch {
    /* Other checks report a setting that cannot be used. */
    return [];
  }
}

interface ExaminedDatabase {
  readonly findings: readonly Finding[];
  /** Undefined if it does not answer. */
  readonly facts?: DatabaseFacts | undefined;
  /** How far its clock is ahead of the one of this machine (ms). */
  readonly databaseAhead?: number;
  /** How far the synchronised clocks of units are ahead, in the median (ms); undefined without such units. */
  readonly unitsAhead?: number | undefined;
  /** When the latest backup was taken that it records (epoch ms). */
  readonly backupAt?: number | undefined;
}

/** How long a query may take (ms). */
const queryDeadline = 15_000;

async function examineDatabase(
  env: Environment,
  replica: ReadReplica | undefined,
  installation: Installation,
): Promise<ExaminedDatabase> {
  const url = await findDatabase(env).catch((error: Error) => error);
  if (url instanceof Error) {
    const { settings, start, createDatabase } = installation;
    const begin = createDatabase === undefined ? 'Set' : `Run: ${createDatabase}. Or set`;
    const advice = `${begin} DATABASE_URL in ${settings}, then: ${start}`;
    return { findings: [problem('database', url.message, advice)] };
  }
  const findings: Finding[] = [];
  let facts: DatabaseFacts | undefined;
  const options = { applicationName: 'visitor-counter doctor', maxConnections: 2, readOnly: true };
  const db = connect(url, { ...options, queryDeadline });
  try {
    const isEmbedded = databaseUrl(env) === undefined;
    facts = await inspectDatabase(db);
    const schema = await schemaOf(db);
    findings.push(...judgeDatabase({ facts, schema, isEmbedded }, url, installation));
    /* Programs of this release cannot read other tables. */
    if (schema.missing.length + schema.unknown.length > 0) return { findings, facts };
    const missing = await missingRights(db.kysely);
    findings.push(judgeRights(missing, url, installation));
    if (missing.length > 0) return { findings, facts };
    const { clockAhead, backupAt } = await readDatabaseState(db.kysely);
    const units = await readFleetState(db.kysely);
    findings.push(...(await checkCounting(db, installation)), judgeGaps(units, installation));
    if (replica) findings.push(...(await checkReplica(url, replica, installation)));
    const ahead = { databaseAhead: clockAhead * 1_000, unitsAhead: inMs(units.clockAhead) };
    return { findings, facts, ...ahead, backupAt: inMs(backupAt) };
  } catch (error) {
    return { findings: [...findings, judgeError(error, url, installation)], facts };
  } finally {
    await db.close();
  }
}

async function schemaOf({ pool }: Database) {
  const client = await pool.connect();
  try {
    await requireOwnSession(pool, client);
    return await readSchemaState(client);
  } finally {
    client.release();
  }
}

function inMs(seconds: number | null): number | undefined {
  return seconds === null ? undefined : seconds * 1_000;
}

/** How far two clocks may differ (ms), with the time that it takes to read one. */
const tolerance = 2_000;

/** The same for the clock of a unit, whose message takes longer (ms). */
const unitTolerance = 30_000;

/** `isSynchronised`: whether NTP sets the clock of this machine; undefined if that is not known. */
function judgeClock(
  isSynchronised: boolean | undefined,
  { databaseAhead = 0, unitsAhead = 0 }: ExaminedDatabase,
): Finding {
  const service = 'Run: sudo apt install systemd-timesyncd && sudo timedatectl set-ntp true';
  if (Math.abs(databaseAhead) > tolerance) {
    const finding = `the clock of the database is ${distance(databaseAhead)} this one`;
    return problem('clock', finding, `Set both by NTP. Here: ${service.slice('Run: '.length)}`);
  }
  if (Math.abs(unitsAhead) > unitTolerance) {
    const finding = `the synchronised clocks of units are ${distance(unitsAhead)} this one`;
    const advice = `${service}. What a wrong clock has caused: "A wrong clock" in the runbook.`;
    return problem('clock', finding, advice);
  }
  if (isSynchronised === undefined) {
    return warning(
      'clock',
      'it is unknown whether a time service sets it',
      'On a machine or host without systemd, check its NTP service.',
    );
  }
  if (isSynchronised) return ok('clock', 'set by NTP');
  return problem(
    'clock',
    'no time service sets the clock: crossings with the times of units may be refused',
    service,
  );
}

/** Such as `86400 s ahead of`. */
function distance(ahead: number): string {
  return `${(Math.abs(ahead) / 1_000).toFixed(0)} s ${ahead > 0 ? 'ahead of' : 'behind'}`;
}
