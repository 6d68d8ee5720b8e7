import { portOf, programArgs, startProcess } from '@visitor-counter/test/service-process';
import { runLoad } from '../load/run-load.ts';
import { peakMemory } from '../shared/process-facts.ts';
import { showProgress } from '../shared/report.ts';
import { createWorld } from '../shared/world.ts';

/** The units of a chain of shops. */
export const unitsOfChain = 50;

/** The peak resident memory (MB), with its start, of all roles in one process, while units send a crossing now and then. */
export async function measureServer(): Promise<number> {
  await using world = await createWorld(unitsOfChain);
  const settings = {
    DATABASE_URL: world.databaseUrl,
    MQTT_PORT: '0',
    HTTP_PORT: '0',
    METRICS_PORT: '0',
    LOG_LEVEL: 'warn',
  };
  await using server = await startProcess('server', programArgs('serve', settings), settings);
  const order = {
    port: portOf(server, 'mqttPort'),
    units: unitsOfChain,
    crossingsPerMessage: 1,
    warmUp: 2,
    seconds: 60,
    pace: { every: 30, heartbeatEvery: 60 },
  };
  const { after } = await runLoad(order, () => peakMemory(server.child.pid));
  const megabytes = after / 1e6;
  showProgress(`all roles in one process, ${unitsOfChain} units: ${megabytes.toFixed(0)} MB`);
  return megabytes;
}
