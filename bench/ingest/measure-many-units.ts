import { portOf } from '@visitor-counter/test/service-process';
import { runLoad } from '../load/run-load.ts';
import { peakMemory } from '../shared/process-facts.ts';
import { showProgress } from '../shared/report.ts';
import { createWorld } from '../shared/world.ts';
import { startGateway } from './contestants/programs.ts';
import type { IngestOptions } from './ingest-options.ts';

/** The latencies and the cost of many connected units. */
export interface ManyUnitsFigures {
  /** Publish to PUBACK (ms), of crossings and of heartbeats. */
  readonly pubackP50: number;
  readonly pubackP99: number;
  readonly heartbeatP99: number;
  /** The peak resident memory of the gateway, including logins (MB). */
  readonly megabytes: number;
}

/** Seconds between two crossings, and two heartbeats, of a unit. */
const pace = { every: 10, heartbeatEvery: 60 };

/** Each unit a crossing every ten seconds and a heartbeat a minute, for two crossings of each. */
export async function measureManyUnits({ units }: IngestOptions): Promise<ManyUnitsFigures> {
  await using world = await createWorld(units);
  await using gateway = await startGateway(world.databaseUrl);
  const order = {
    port: portOf(gateway, 'mqttPort'),
    units,
    crossingsPerMessage: 1,
    warmUp: 2,
    seconds: 20,
    pace,
  };
  const { result, after } = await runLoad(order, () => peakMemory(gateway.child.pid));
  const { p50: pubackP50, p99: pubackP99 } = result.crossings;
  const { p99: heartbeatP99 } = result.heartbeats;
  const megabytes = after / 1e6;
  showProgress(`${units} units: PUBACK p99 ${pubackP99.toFixed(1)} ms, gateway ${megabytes.toFixed(0)} MB`);
  return { pubackP50, pubackP99, heartbeatP99, megabytes };
}
