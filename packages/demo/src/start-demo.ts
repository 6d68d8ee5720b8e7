import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { migrate } from '@visitor-counter/database/migrate';
import { applyTopology } from './company/apply-topology.ts';
import { type DemoState, keptState } from './company/demo-state.ts';
import { readInstallation } from './company/installation.ts';
import { demoStores } from './company/stores.ts';
import { topologyFile } from './company/topology.ts';
import { unitFile } from './company/unit-file.ts';
import type { DemoConfig } from './demo-config.ts';
import { buildPage } from './processes/build-page.ts';
import { startDatabaseServer } from './processes/database-server.ts';
import { choosePort } from './processes/ports.ts';
import { programs, recordingFile } from './processes/programs.ts';
import { type ProcessOptions, type SupervisedProcess, startProcess } from './processes/supervised-process.ts';
import type { Screen } from './terminal/screen.ts';

export interface Demo {
  readonly state: DemoState;
  readonly serviceUrl: string;
  /** What stores look at. */
  readonly pageUrl: string;
  readonly mqttUrl: string;
}

export interface DemoOptions {
  readonly config: DemoConfig;
  readonly screen: Screen;
  /** Receives what has to be stopped, in the order in which it was started. */
  readonly stack: AsyncDisposableStack;
  /** Called with what a unit says of its progress. */
  readonly onUnitMessage: (serial: string, message: unknown) => void;
  /** Aborted when the operator wants to stop; checked between the steps. */
  readonly signal: AbortSignal;
}

/** Starts everything, step by step, and returns once the units deliver. */
export async function startDemo(options: DemoOptions): Promise<Demo> {
  const { config, screen, signal } = options;
  await mkdir(config.dataFolder, { recursive: true });
  await step(screen, 'the page', () => buildPage());
  const databaseUrl = await startDatabase(options);
  signal.throwIfAborted();
  const { id, companyExists } = await readInstallation(databaseUrl);
  const folder = join(config.dataFolder, 'demo', id);
  const state = await keptState(folder, Date.now(), companyExists);
  await step(screen, 'the demonstration company', () => applyTopology(topologyFile(state), databaseUrl));
  signal.throwIfAborted();
  const services = await startServices(options, databaseUrl, folder);
  signal.throwIfAborted();
  await startUnits(options, state, folder, services.mqttUrl);
  return { state, ...services };
}

async function startDatabase({ config, screen, stack }: DemoOptions): Promise<string> {
  const url = config.databaseUrl ?? (await startEmbedded());
  await step(screen, 'the schema is up to date', () => migrate(url));
  return url;

  async function startEmbedded(): Promise<string> {
    const server = await step(screen, 'PostgreSQL', () =>
      startDatabaseServer(config.dataFolder, (how) => screen.notice(how)),
    );
    stack.defer(() => server.stop());
    return server.url;
  }
}

async function startServices(options: DemoOptions, databaseUrl: string, folder: string) {
  const { config, screen } = options;
  const mqtt = await choosePort('MQTT_PORT', config.mqttHost, config.mqttPort, 1883);
  const http = await choosePort('HTTP_PORT', config.httpHost, config.httpPort, 8080);
  for (const { notice } of [mqtt, http]) if (notice) screen.notice(notice);
  const mqttUrl = `mqtt://${config.mqttHost}:${mqtt.port}`;
  const pageUrl = `http://${config.httpHost}:${http.port}/`;
  const serviceUrl = `${pageUrl}${config.apiPathId}/Service.asmx`;
  const env = {
    DATABASE_URL: databaseUrl,
    MQTT_HOST: config.mqttHost,
    MQTT_PORT: String(mqtt.port),
    HTTP_HOST: config.httpHost,
    HTTP_PORT: String(http.port),
    API_PATH_ID: config.apiPathId,
  };
  await step(screen, `the gateway, ${mqttUrl}`, () => startService(options, 'gateway', env, folder));
  /* METRICS_PORT is the gateway's here; the others take their default one, or the next that is free. */
  const otherEnv = { ...env, METRICS_PORT: '' };
  await step(screen, `the api, ${serviceUrl}`, () => startService(options, 'api', otherEnv, folder));
  await step(screen, 'the alerts', () => startService(options, 'alerts', otherEnv, folder));
  return { mqttUrl, serviceUrl, pageUrl };
}

async function startService(
  options: DemoOptions,
  name: 'gateway' | 'api' | 'alerts',
  env: Record<string, string>,
  folder: string,
): Promise<void> {
  const service = await supervise(options, {
    name: `the ${name}`,
    args: [programs[name]],
    env,
    logFile: join(folder, 'logs', `${name}.log`),
  });
  options.stack.defer(() => service.stop());
}

async function startUnits(
  options: DemoOptions,
  state: DemoState,
  folder: string,
  server: string,
): Promise<void> {
  const doors = demoStores.flatMap((store) => store.doors.map((door) => ({ store, door })));
  const started: SupervisedProcess[] = [];
  options.stack.defer(async () => {
    await Promise.all(started.map((unit) => unit.stop()));
  });
  await step(options.screen, `${doors.length} counter units in ${demoStores.length} stores`, () =>
    allSettled(
      doors.map(async ({ store, door }) => {
        const content = unitFile({ store, door, state, profile: recordingFile, server });
        started.push(await startUnit(options, door.serial, content, folder));
      }),
    ),
  );
}

async function startUnit(
  options: DemoOptions,
  serial: string,
  content: string,
  folder: string,
): Promise<SupervisedProcess> {
  const unitFolder = join(folder, 'units', serial);
  const file = join(unitFolder, 'unit.yaml');
  await mkdir(unitFolder, { recursive: true });
  await writeFile(file, content, { mode: 0o600 });
  return supervise(options, {
    name: `unit ${serial}`,
    patience: 15_000,
    args: [programs.agent, 'run', '--config', file],
    env: {},
    logFile: join(folder, 'logs', `${serial}.log`),
    onMessage: (message) => options.onUnitMessage(serial, message),
  });
}

/** Waits for all, also when one fails: whatever has started by then can be stopped. */
async function allSettled(work: Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(work)).find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}

async function supervise(
  { screen }: DemoOptions,
  options: Omit<ProcessOptions, 'onUnexpectedEnd'>,
): Promise<SupervisedProcess> {
  const { process } = await startProcess({
    ...options,
    onUnexpectedEnd: (name, how) => screen.notice(`${name} ended (${how}); starting it again`),
  });
  return process;
}

async function step<Result>(screen: Screen, text: string, work: () => Promise<Result>): Promise<Result> {
  const startedAt = Date.now();
  const result = await work();
  screen.done(text, startedAt);
  return result;
}
