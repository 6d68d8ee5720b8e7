import { execFile } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { operatorOf } from '@visitor-counter/admin/command/context';
import { readTopology } from '@visitor-counter/admin/file/read-topology';
import { applyTopology } from '@visitor-counter/admin/topology/apply-topology';
import { migrateUrl } from '@visitor-counter/database/embedded/find-database';
import { migrate } from '@visitor-counter/database/migrations/migrate';
import { secretsKeyFile } from '@visitor-counter/database/secrets/secrets-key';
import { connect, type Database } from '@visitor-counter/database/sql/connect';
import { isDatabaseUnavailable } from '@visitor-counter/database/sql/unavailable';
import { makeDataFolder, startEmbeddedDatabase } from '@visitor-counter/server/embedded-database';
import { roleNames } from '@visitor-counter/server/roles';
import { startServer } from '@visitor-counter/server/start-server';
import { reasonOf } from '@visitor-counter/service/errors';
import { createLogger } from '@visitor-counter/service/logger';
import type { Running } from '@visitor-counter/service/run-service';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import type { Environment } from '@visitor-counter/service/settings/environment';
import type { Backlog } from './backlog.ts';
import { topologyFile, unitFile } from './company/demo-files.ts';
import { type DemoState, keptState } from './company/demo-state.ts';
import { demoStores, runningDoors } from './company/stores.ts';
import { type DemoAddresses, type DemoConfig, demoAddresses, serverSettings } from './demo-config.ts';
import type { Screen } from './screen.ts';
import { UnitProcess } from './unit-process.ts';

/** The recording as a profile for simulated beams. */
export const profileFile = fileURLToPath(new URL('../recording/calit2.csv', import.meta.url));

/** Builds the page if a source is newer than the last build. */
const pageBuilder = fileURLToPath(new URL('../../dashboard/build.ts', import.meta.url));

/** The demonstration needs little memory: its database is small. */
const smallDatabase = { shared_buffers: '32MB' };

export interface Demo {
  readonly state: DemoState;
  readonly addresses: DemoAddresses;
  readonly databaseUrl: string;
  readonly database: Database;
  /** Has what this installation remembers. */
  readonly folder: string;
  /** Rejects when the server cannot continue. */
  readonly failure: Promise<never>;
}

interface DemoOptions {
  readonly config: DemoConfig;
  readonly screen: Screen;
  /** Receives the started parts that must be stopped, in the order of their starts. */
  readonly stack: AsyncDisposableStack;
  /** Receives the messages of the unit. */
  readonly backlog: Backlog;
  /** Aborted when the operator wants to stop; checked between the steps. */
  readonly signal: AbortSignal;
}

/** Starts the server in this process and the unit in another one, and returns once the unit's doors deliver. */
export async function startDemo(options: DemoOptions): Promise<Demo> {
  const { config, screen, stack, signal } = options;
  await makeDataFolder(config.dataFolder);
  const [databaseUrl] = await Promise.all([startDatabase(options), buildPage(screen)]);
  signal.throwIfAborted();
  const database = connect(databaseUrl, { applicationName: 'visitor-counter demo', maxConnections: 1 });
  stack.defer(() => database.close());
  const { folder, state, isFirstStart } = await keptState(config.dataFolder, database, Date.now());
  await step(screen, 'the demonstration company', async () => {
    const companies = readTopology(topologyFile(state, isFirstStart), 'the demonstration company');
    await applyTopology(database, operatorOf(process.env), 'the demonstration company', companies);
  });
  signal.throwIfAborted();
  const { ready, failure = new Promise<never>(() => {}) } = await startLoggingServer(
    options,
    databaseUrl,
    folder,
  );
  const addresses = demoAddresses(config, ready);
  await startUnit(options, state, folder, addresses.mqttUrl);
  signal.throwIfAborted();
  return { state, addresses, databaseUrl, database, folder, failure };
}

/** The api serves everything else without the page. */
async function buildPage(screen: Screen): Promise<void> {
  const build = () => promisify(execFile)(process.execPath, [pageBuilder, '--if-older']);
  await step(screen, 'the page', build).catch((error: unknown) =>
    screen.notice(`no page: ${reasonOf(error)}`),
  );
}

async function startDatabase({ config, screen, stack }: DemoOptions): Promise<string> {
  const url = config.databaseUrl ?? (await startEmbedded());
  await step(screen, 'the schema is up to date', () =>
    migrate(url, config.databaseUrl ? migrateUrl(process.env, url) : url).catch(unreachable),
  );
  return url;

  async function startEmbedded(): Promise<string> {
    const server = await step(screen, 'PostgreSQL', () =>
      startEmbeddedDatabase(config.dataFolder, (how) => screen.notice(how), smallDatabase),
    );
    stack.defer(() => server.stop());
    return server.url;
  }
}

/** How the server finds the database, and the key of its webhooks. */
function databaseEnv({ databaseUrl, dataFolder }: DemoConfig, url: string): Environment {
  const given = { DATABASE_URL: url, DATABASE_URL_FILE: '' };
  if (databaseUrl !== undefined) return given;
  const { SECRETS_KEY, SECRETS_KEY_FILE = '' } = process.env;
  return {
    ...given,
    DATABASE_MIGRATE_URL: '',
    DATABASE_MIGRATE_URL_FILE: '',
    SECRETS_KEY_FILE: SECRETS_KEY ? SECRETS_KEY_FILE : SECRETS_KEY_FILE || secretsKeyFile(dataFolder),
  };
}

function unreachable(error: unknown): never {
  if (!isDatabaseUnavailable(error)) throw error;
  throw new ConfigurationError('DATABASE_URL', '…', `a PostgreSQL that can be reached (${reasonOf(error)})`);
}

/** All roles of the server, which log to a file. */
async function startLoggingServer(
  { config, screen, stack, signal }: DemoOptions,
  databaseUrl: string,
  folder: string,
): Promise<Running> {
  const ports = await serverSettings(config, screen.notice);
  const env = { ...process.env, ...ports, ...databaseEnv(config, databaseUrl) };
  await mkdir(join(folder, 'logs'), { recursive: true });
  const lines = createWriteStream(join(folder, 'logs', 'server.log'), { flags: 'a' });
  const logOf = (name: string) => createLogger(name, env, lines);
  return await step(screen, 'the server', async () => {
    const server = await startServer(roleNames, env, logOf('server'), signal, { logOf });
    stack.defer(() => server.close());
    return server;
  });
}

/** One process is the unit over all doors. */
async function startUnit(
  { screen, stack, signal, backlog }: DemoOptions,
  state: DemoState,
  folder: string,
  server: string,
): Promise<void> {
  const configFile = join(folder, 'units', 'unit.yaml');
  await mkdir(join(folder, 'units'), { recursive: true });
  await writeFile(configFile, unitFile(state, { profile: profileFile, server }), { mode: 0o600 });
  const logFile = join(folder, 'logs', 'unit.log');
  const onUnexpectedEnd = (how: string) =>
    screen.notice(`the unit ended (${how}, see ${logFile}); starting it again`);
  const doors = demoStores.flatMap(runningDoors).length;
  await step(screen, `counters at ${doors} doors of ${demoStores.length} stores`, async () => {
    const unit = new UnitProcess({ configFile, logFile, onMessage: backlog.report, onUnexpectedEnd });
    stack.defer(() => unit.stop());
    signal.addEventListener('abort', () => void unit.stop(), { once: true });
    await unit.ready;
  });
}

async function step<Result>(screen: Screen, text: string, work: () => Promise<Result>): Promise<Result> {
  const startedAt = performance.now();
  const result = await work();
  screen.done(text, startedAt);
  return result;
}
