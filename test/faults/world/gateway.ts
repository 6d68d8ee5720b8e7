import { join } from 'node:path';
import { programArgs } from '@visitor-counter/test/service-process';
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { movingClock, Supervised } from './supervised.ts';

/** A gateway under attack. */
export interface Gateway {
  readonly process: Supervised;
  readonly port: number;
}

const ready = Compile(Type.Object({ mqttPort: Type.Integer() }));

/** Starts a gateway on a free port, which it also uses after restarts. */
export async function startGateway(name: string, databaseUrl: string, logFolder: string): Promise<Gateway> {
  let port = 0;
  const process = new Supervised({
    name,
    args: [...movingClock, ...programArgs('gateway')],
    env: () => ({ DATABASE_URL: databaseUrl, MQTT_PORT: String(port), METRICS_PORT: '0' }),
    logFile: join(logFolder, `${name}.log`),
  });
  port = ready.Parse(await process.start()).mqttPort;
  return { process, port };
}
