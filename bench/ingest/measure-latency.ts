import { portOf } from '@visitor-counter/test/service-process';
import { runLoad } from '../load/run-load.ts';
import { processorTime } from '../shared/process-facts.ts';
import { showProgress } from '../shared/report.ts';
import { createWorld } from '../shared/world.ts';
import { startApi, startGateway } from './contestants/programs.ts';
import { flatOut, type IngestOptions, warmUp } from './ingest-options.ts';
import { sampleVisible } from './sample-visible.ts';

/** At so many messages per second: publish to PUBACK, and publish to visible in the public interface (ms). */
export interface LatencyFigures {
  readonly messagesPerSecond: number;
  readonly pubackP50: number;
  readonly pubackP99: number;
  readonly visibleP50: number;
  readonly visibleP99: number;
}

/**
 * Measures latencies under a load, called `name`, of `rate` messages per second from lean clients, whose own cost is
 * small. The second latency is measured separately, so that polling the interface does not affect the first.
 */
export async function measureLatency(
  name: string,
  rate: number,
  options: IngestOptions,
): Promise<LatencyFigures> {
  const { units } = flatOut;
  await using world = await createWorld(units + 1);
  await using gateway = await startGateway(world.databaseUrl);
  await using api = await startApi(world.databaseUrl);
  const order = {
    port: portOf(gateway, 'mqttPort'),
    units,
    crossingsPerMessage: 1,
    pace: { every: units / rate },
  };
  const { result } = await runLoad({ ...order, warmUp, seconds: options.seconds }, () =>
    processorTime(gateway.child.pid),
  );
  const { p50, p99 } = result.crossings;
  showProgress(`${name}: PUBACK p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`);
  await world.deleteCrossings();
  const { summary: visible } = await sampleVisible(
    { order: { ...order, warmUp, seconds: options.seconds }, unit: units },
    portOf(api, 'httpPort'),
  );
  showProgress(`${name}: visible p50 ${visible.p50.toFixed(1)} ms, p99 ${visible.p99.toFixed(1)} ms`);
  return {
    messagesPerSecond: result.messagesPerSecond,
    pubackP50: p50,
    pubackP99: p99,
    visibleP50: visible.p50,
    visibleP99: visible.p99,
  };
}
