import { join } from 'node:path';
import { freePort } from '@visitor-counter/test/free-ports';
import { programArgs } from '@visitor-counter/test/service-process';
import { movingClock, Supervised } from './supervised.ts';

/** A gateway under attack. */
export interface Gateway {
  readonly process: Supervised;
  readonly port: number;
}

export interface ServiceOptions {
  readonly databaseUrl: string;
  readonly logFolder: string;
}

/** Makes a gateway on a free port, which it keeps after restarts; the caller starts its process. */
export async function makeGateway(
  name: string,
  { databaseUrl, logFolder }: ServiceOptions,
): Promise<Gateway> {
  const port = await freePort();
  const process = new Supervised({
    name,
    args: [...movingClock, ...programArgs('gateway')],
    env: () => ({ DATABASE_URL: databaseUrl, MQTT_PORT: String(port), METRICS_PORT: '0' }),
    logFile: join(logFolder, `${name}.log`),
  });
  return { process, port };
}

/** The public interface, for readers while the chain is attacked. */
export interface Api {
  readonly process: Supervised;
  readonly url: string;
}

/** Makes an api on a free port, which it keeps after restarts; the caller starts its process. */
export async function makeApi({ databaseUrl, logFolder }: ServiceOptions): Promise<Api> {
  const port = await freePort();
  const process = new Supervised({
    name: 'api',
    args: programArgs('api'),
    env: () => ({ DATABASE_URL: databaseUrl, HTTP_PORT: String(port), METRICS_PORT: '0' }),
    logFile: join(logFolder, 'api.log'),
  });
  return { process, url: `http://127.0.0.1:${port}` };
}

/** Stops services as an operator does, and starts them again after `work`. */
export function whileAllStopped(
  [first, ...others]: readonly Pick<Gateway, 'process'>[],
  work: () => Promise<void>,
): Promise<void> {
  return first ? first.process.whileStopped(() => whileAllStopped(others, work)) : work();
}
