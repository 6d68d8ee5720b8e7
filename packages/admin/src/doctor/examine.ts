import { missingRights } from '@visitor-counter/database/access/access-roles';
import { findDatabase, type ReadReplica } from '@visitor-counter/database/embedded/find-database';
import { readDatabaseState } from '@visitor-counter/database/fleet/database-state';
import { readFleetState } from '@visitor-counter/database/fleet/fleet-state';
import { connect, type Database } from '@visitor-counter/database/sql/connect';
import { readServerConfiguration, settingNames } from '@visitor-counter/server/roles';
import { isClockSynchronised } from '@visitor-counter/service/clock-synchronised';
import type { CommandContext } from '../command/context.ts';
import { checkBackups } from './check-backups.ts';
import { checkCertificates } from './check-certificates.ts';
import { judgeClock } from './check-clock.ts';
import { checkCounting } from './check-counting.ts';
import {
  judgeDatabase,
  judgeError,
  judgeRights,
  type ReachedDatabase,
  reachDatabase,
} from './check-database.ts';
import { checkDisks, type ServedDatabase } from './check-disk.ts';
import { checkReplica } from './check-replica.ts';
import { checkService } from './check-service.ts';
import { checkSettings, findUnreadable } from './check-settings.ts';
import { findDatabaseFolder } from './database-folder.ts';
import { type Finding, problem } from './finding.ts';
import { type Installation, installationOf } from './installation.ts';

/** All findings, in the order in which an operator should read them. */
export async function examine({ env }: CommandContext, backups: string | undefined): Promise<Finding[]> {
  const unreadable = await findUnreadable(env);
  if (unreadable !== undefined) return [unreadable];
  const installation = installationOf(env);
  const backupFolder = backups ?? (env['BACKUP_DIR'] || installation.backups);
  const configuration = await readServerConfiguration(env);
  const replica = configuration.api?.replica;
  /* First: a server that was just started creates its tables, and begins to store. */
  const service = await checkService(configuration, installation);
  const [settings, certificates, ofDatabase] = await Promise.all([
    checkSettings(env, configuration, settingNames(), installation),
    checkCertificates(configuration, installation),
    withUrl(env, installation, (db, url) => examineDatabase(db, { url, replica, installation })),
  ]);
  return [
    ...settings,
    ...certificates,
    ...service,
    ...ofDatabase.findings,
    judgeClock({ isSynchronized: await isClockSynchronised(), ...ofDatabase.clocks }),
    ...(await checkDisks([...configuration.disks, backupFolder ?? '/'], ofDatabase.served)),
    await checkBackups({ folder: backupFolder, recordedAt: ofDatabase.backupAt }, Date.now(), installation),
  ];
}

interface DatabaseExamination {
  readonly findings: readonly Finding[];
  /** How far the clocks of database and units are ahead (ms). */
  readonly clocks: { readonly databaseAhead: number | undefined; readonly unitsAhead?: number | undefined };
  /** Undefined if it does not answer. */
  readonly served: ServedDatabase | undefined;
  /** When the latest backup was taken that it records (epoch ms). */
  readonly backupAt: number | undefined;
}

function unexamined(findings: readonly Finding[], served?: ServedDatabase): DatabaseExamination {
  return { findings, clocks: { databaseAhead: undefined }, served, backupAt: undefined };
}

/** How long a query may take (ms). */
const queryDeadline = 15_000;

async function withUrl(
  env: CommandContext['env'],
  { settings, start, createDatabase }: Installation,
  examineAt: (db: Database, url: string) => Promise<DatabaseExamination>,
): Promise<DatabaseExamination> {
  const url = await findDatabase(env).catch((error: Error) => error);
  if (url instanceof Error) {
    const begin = createDatabase === undefined ? 'Set' : `Run: ${createDatabase}. Or set`;
    const advice = `${begin} DATABASE_URL in ${settings}, then: ${start}`;
    return unexamined([problem('database', url.message, advice)]);
  }
  const db = connect(url, { applicationName: 'visitor-counter doctor', maxConnections: 1, queryDeadline });
  try {
    return await examineAt(db, url);
  } finally {
    await db.close();
  }
}

interface Examined {
  readonly url: string;
  readonly replica: ReadReplica | undefined;
  readonly installation: Installation;
}

async function examineDatabase(
  db: Database,
  { url, replica, installation }: Examined,
): Promise<DatabaseExamination> {
  const reached = await reachDatabase(db, url, installation);
  if ('status' in reached) return unexamined([reached]);
  const { facts } = reached;
  const served = { facts, folder: await findDatabaseFolder(facts) };
  const findings = judgeDatabase(reached, url, installation);
  if (!hasOurSchema(reached)) return unexamined(findings, served);
  try {
    const missing = await missingRights(db.kysely);
    findings.push(judgeRights(missing, url, installation));
    if (missing.length > 0) return unexamined(findings, served);
    const { clockAhead, backupAt } = await readDatabaseState(db.kysely);
    const units = await readFleetState(db.kysely);
    findings.push(...(await checkCounting(db, installation)));
    if (replica) findings.push(...(await checkReplica(db, replica, installation)));
    const clocks = { databaseAhead: clockAhead * 1_000, unitsAhead: inMs(units.clockAhead) };
    return { findings, clocks, served, backupAt: inMs(backupAt) };
  } catch (error) {
    return unexamined([...findings, judgeError(error, url, installation)], served);
  }
}

function inMs(seconds: number | null): number | undefined {
  return seconds === null ? undefined : seconds * 1_000;
}

/** Whether programs of this release can serve with the tables: otherwise they cannot be read. */
function hasOurSchema({ schema: { missing, refusal } }: ReachedDatabase): boolean {
  return missing.length === 0 && refusal === undefined;
}
