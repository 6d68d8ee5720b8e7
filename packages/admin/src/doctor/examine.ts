import { findDatabase } from '@visitor-counter/database/embedded/find-database';
import { connect, type Database } from '@visitor-counter/database/sql/connect';
import { readServerConfiguration, settingNames } from '@visitor-counter/server/read-configuration';
import type { CommandContext } from '../command/context.ts';
import { checkBackups } from './check-backups.ts';
import { checkCertificates } from './check-certificates.ts';
import { judgeClock, readSynchronization } from './check-clock.ts';
import { checkCounting } from './check-counting.ts';
import { judgeDatabase, type ReachedDatabase, reachDatabase } from './check-database.ts';
import { judgeDisk, readDisks } from './check-disk.ts';
import { checkService } from './check-service.ts';
import { checkSettings } from './check-settings.ts';
import { type Finding, problem } from './finding.ts';
import { type Installation, installationOf } from './installation.ts';

/** All findings, in the order in which an operator should read them. */
export async function examine({ env }: CommandContext, backups: string | undefined): Promise<Finding[]> {
  const installation = installationOf(env);
  const backupFolder = backups ?? installation.backups;
  const configuration = await readServerConfiguration(env);
  const [settings, certificates, service, ofDatabase] = await Promise.all([
    checkSettings(env, configuration, settingNames(), installation),
    checkCertificates(configuration, installation),
    checkService(configuration, installation),
    withUrl(env, installation, (db, url) => examineDatabase(db, url, installation)),
  ]);
  const disks = await readDisks(env, backupFolder);
  return [
    ...settings,
    ...certificates,
    ...service,
    ...ofDatabase.findings,
    judgeClock({ isSynchronized: await readSynchronization(), databaseAhead: ofDatabase.ahead }),
    ...disks.map((disk) => judgeDisk(disk, ofDatabase.size)),
    await checkBackups(backupFolder, Date.now(), installation),
  ];
}

interface DatabaseExamination {
  readonly findings: readonly Finding[];
  /** How far its clock is ahead (ms). */
  readonly ahead: number | undefined;
  /** Bytes. */
  readonly size: number;
}

function unexamined(finding: Finding): DatabaseExamination {
  return { findings: [finding], ahead: undefined, size: 0 };
}

/** How long a query may take (ms). */
const queryDeadline = 15_000;

async function withUrl(
  env: CommandContext['env'],
  { settings, start }: Installation,
  examineAt: (db: Database, url: string) => Promise<DatabaseExamination>,
): Promise<DatabaseExamination> {
  const url = await findDatabase(env).catch((error: Error) => error);
  if (url instanceof Error) {
    return unexamined(problem('database', url.message, `Set DATABASE_URL in ${settings}, then: ${start}`));
  }
  const db = connect(url, { applicationName: 'visitor-counter doctor', maxConnections: 1, queryDeadline });
  try {
    return await examineAt(db, url);
  } finally {
    await db.close();
  }
}

async function examineDatabase(
  db: Database,
  url: string,
  installation: Installation,
): Promise<DatabaseExamination> {
  const begun = Date.now();
  const reached = await reachDatabase(db, url, installation);
  if ('status' in reached) return unexamined(reached);
  const ahead = reached.facts.now - (begun + Date.now()) / 2;
  const findings = judgeDatabase(reached, url, installation);
  if (hasOurSchema(reached)) findings.push(...(await checkCounting(db, installation)));
  return { findings, ahead, size: reached.facts.size };
}

/** Whether the tables are those of this release: otherwise they cannot be read. */
function hasOurSchema({ schema: { missing, unknown } }: ReachedDatabase): boolean {
  return missing.length === 0 && unknown.length === 0;
}
