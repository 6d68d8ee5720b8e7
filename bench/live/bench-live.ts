import { setTimeout as delay } from 'node:timers/promises';
import { portOf, type ServiceProcess } from '@visitor-counter/test/service-process';
import { startApi, startGateway } from '../ingest/contestants/programs.ts';
import { warmUp } from '../ingest/ingest-options.ts';
import { doorsPerStore } from '../shared/company.ts';
import { peakMemory, processorTime } from '../shared/process-facts.ts';
import { below, type Measured, once, showProgress } from '../shared/report.ts';
import { createWorld, type World } from '../shared/world.ts';
import { Listeners } from './listeners.ts';
import { People } from './people.ts';

export interface LiveOptions {
  readonly stores: number;
  readonly listeners: number;
  /** Length of each measurement (s). */
  readonly seconds: number;
}

/** Time limit for events in flight at the end (ms). */
const patience = 10_000;

/** Measures the latency of a crossing to all listeners, and the cost of listeners for the api. */
export async function benchLive({ stores, listeners, seconds }: LiveOptions): Promise<Measured> {
  await using world = await createWorld(stores * doorsPerStore);
  await using gateway = await startGateway(world.databaseUrl);
  await using api = await startApi(world.databaseUrl);
  using people = await People.connect(portOf(gateway, 'mqttPort'), stores);
  await delay(1_000 * warmUp);
  showProgress('no listener');
  const alone = await busy(api, seconds);

  showProgress(`${listeners} listeners`);
  using group = await Listeners.open(portOf(api, 'httpPort'), listeners, people);
  await delay(1_000 * warmUp);
  group.measureFrom(performance.now());
  const own = process.cpuUsage();
  const listened = await busy(api, seconds);
  const used = process.cpuUsage(own);
  people.stop();
  const missing = await group.missingAfter(patience);
  const { count, p50, p99, max } = group.latencies.summary;
  const memory = (await peakMemory(api.child.pid)) / 1e6;
  const revoked = await untilEnded(group, world);
  return {
    figures: [
      once('crossings received', 'to one each', count),
      once('  from crossing to event, p50', 'ms', p50),
      once('  p99', 'ms', p99),
      once('  the latest', 'ms', max),
      once('never received', 'to one each', missing),
      once('api, no listener', 'processors', alone),
      once(`api, ${listeners} listeners`, 'processors', listened),
      once('  at most', 'MB', memory),
      once('from revocation to the end of all streams', 'ms', revoked),
      once('listeners and units', 'processors', (used.user + used.system) / 1e6 / seconds),
    ],
    targets: [
      below('from crossing to event, p99', p99, 'ms', 500),
      below('never received', missing, '', 1),
      below('revoked, and all streams ended', revoked, 'ms', 5_000),
    ],
  };
}

/** How long listeners still receive events after their credential was revoked (ms). */
async function untilEnded(group: Listeners, { client }: World): Promise<number> {
  const ended = group.ended();
  const begin = performance.now();
  await client.query('update credential set revoked_at = now()');
  await ended;
  return performance.now() - begin;
}

/** How many processors a program uses for so many seconds. */
async function busy({ child: { pid } }: ServiceProcess, seconds: number): Promise<number> {
  const before = await processorTime(pid);
  await delay(1_000 * seconds);
  return ((await processorTime(pid)) - before) / seconds;
}
