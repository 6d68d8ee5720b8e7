import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { migrateUrl } from '@visitor-counter/database/embedded/find-database';
import { migrate } from '@visitor-counter/database/migrations/migrate';
import { secretsKeyFile } from '@visitor-counter/database/secrets/secrets-key';
import { isDatabaseUnavailable } from '@visitor-counter/database/sql/unavailable';
import { makeDataFolder, startEmbeddedDatabase } from '@visitor-counter/server/embedded-database';
import { reasonOf } from '@visitor-counter/service/errors';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import type { Backlog } from './backlog.ts';
import { topologyFile, unitFile } from './company/demo-files.ts';
import { type DemoState, keptState } from './company/demo-state.ts';
import { demoStores, runningDoors } from './company/stores.ts';
import { choosePorts, type DemoAddresses, type DemoConfig, demoAddresses } from './demo-config.ts';
import type { Screen } from './screen.ts';
import { type ProcessOptions, type SupervisedProcess, startProcess } from './supervised-process.ts';

/** The recording as a profile for simulated beams. */
export const profileFile = pathOf('../recording/calit2.csv');

/** Builds the page if a source is newer than the last build. */
const pageBuilder = pathOf('../../dashboard/build.ts');

/** The programs that the demonstration runs as processes. */
const programs = {
  admin: pathOf('../../admin/src/main.ts'),
  agent: pathOf('../../agent/src/main.ts'),
  server: pathOf('../../server/src/main.ts'),
};

function pathOf(file: string): string {
  return fileURLToPath(new URL(file, import.meta.url));
}

export interface Demo {
  readonly state: DemoState;
  readonly addresses: DemoAddresses;
  readonly databaseUrl: string;
  /** Has what this installation remembers. */
  readonly folder: string;
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

/** Starts everything, step by step, and returns once the counters deliver. */
export async function startDemo(options: DemoOptions): Promise<Demo> {
  const { config, screen, signal } = options;
  await makeDataFolder(config.dataFolder);
  await step(screen, 'the page', () => promisify(execFile)(process.execPath, [pageBuilder, '--if-older']));
  const databaseUrl = await startDatabase(options);
  signal.throwIfAborted();
  const { folder, state, isFirstStart } = await keptState(config.dataFolder, databaseUrl, Date.now());
  await step(screen, 'the demonstration company', () =>
    applyTopology(topologyFile(state, isFirstStart), databaseEnv(config, databaseUrl)),
  );
  signal.throwIfAborted();
  const addresses = await startServer(options, databaseUrl, folder);
  signal.throwIfAborted();
  await startUnit(options, state, folder, addresses.mqttUrl);
  return { state, addresses, databaseUrl, folder };
}

async function startDatabase({ config, screen, stack }: DemoOptions): Promise<string> {
  const url = config.databaseUrl ?? (await startEmbedded());
  await step(screen, 'the schema is up to date', () =>
    migrate(url, config.databaseUrl ? migrateUrl(process.env, url) : url).catch(unreachable),
  );
  return url;

  async function startEmbedded(): Promise<string> {
    const server = await step(screen, 'PostgreSQL', () =>
      startEmbeddedDatabase(config.dataFolder, (how) => screen.notice(how)),
    );
    stack.defer(() => server.stop());
    return server.url;
  }
}

/** How the programs of the demonstration find the database, and the key of its webhooks. */
function databaseEnv({ databaseUrl, dataFolder }: DemoConfig, url: string): Record<string, string> {
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

async function startServer(
  options: DemoOptions,
  databaseUrl: string,
  folder: string,
): Promise<DemoAddresses> {
  const { config, screen } = options;
  const addresses = demoAddresses(config, await choosePorts(config, screen.notice));
  const { mqttUrl, mqttsUrl, serviceUrl } = addresses;
  const units = mqttsUrl === undefined ? mqttUrl : `${mqttsUrl} and ${mqttUrl}`;
  await step(screen, `the server, ${units} and ${serviceUrl}`, async () => {
    const server = await supervise(options, {
      name: 'the server',
      args: [programs.server],
      env: { ...addresses.env, ...databaseEnv(config, databaseUrl) },
      logFile: join(folder, 'logs', 'server.log'),
    });
    options.stack.defer(() => server.stop());
  });
  return addresses;
}

/** One process is the unit over all doors. */
async function startUnit(
  options: DemoOptions,
  state: DemoState,
  folder: string,
  server: string,
): Promise<void> {
  const doors = demoStores.flatMap(runningDoors).length;
  const file = join(folder, 'units', 'unit.yaml');
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, unitFile(state, { profile: profileFile, server }), { mode: 0o600 });
  await step(options.screen, `counters at ${doors} doors of ${demoStores.length} stores`, async () => {
    const unit = await supervise(options, {
      name: 'the unit',
      retryFor: 15_000,
      args: [programs.agent, 'run', '--config', file],
      env: {},
      logFile: join(folder, 'logs', 'unit.log'),
      onMessage: options.backlog.report,
    });
    options.stack.defer(() => unit.stop());
  });
}

function supervise(
  { screen }: DemoOptions,
  options: Omit<ProcessOptions, 'onUnexpectedEnd'>,
): Promise<SupervisedProcess> {
  const onUnexpectedEnd = (name: string, how: string) =>
    screen.notice(`${name} ended (${how}); starting it again`);
  return startProcess({ ...options, onUnexpectedEnd });
}

async function step<Result>(screen: Screen, text: string, work: () => Promise<Result>): Promise<Result> {
  const startedAt = performance.now();
  const result = await work();
  screen.done(text, startedAt);
  return result;
}

/** Applies a topology file through the operator's command line, as an operator would. */
async function applyTopology(topology: string, env: NodeJS.ProcessEnv): Promise<void> {
  const child = spawn(process.execPath, [programs.admin, 'apply', '-', '--json'], {
    env: { ...process.env, ...env },
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  child.stdin.end(topology);
  const [errors, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  if (code !== 0) throw new Error(`the demonstration company could not be set up: ${errors.trim()}`);
}
