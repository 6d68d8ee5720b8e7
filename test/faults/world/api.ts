import { join } from 'node:path';
import { freePort } from '@visitor-counter/test/free-ports';
import { programArgs } from '@visitor-counter/test/service-process';
import type { ServiceOptions } from './gateway.ts';
import { Supervised } from './supervised.ts';

/** The public interface, for readers while the chain is attacked. */
export interface Api {
  readonly process: Supervised;
  readonly url: string;
}

/** Starts an api on a free port, which it also uses after restarts. */
export async function startApi({ databaseUrl, logFolder, release }: ServiceOptions): Promise<Api> {
  const port = await freePort();
  const process = new Supervised({
    name: 'api',
    args: programArgs('api', release),
    env: () => ({ DATABASE_URL: databaseUrl, HTTP_PORT: String(port), METRICS_PORT: '0' }),
    logFile: join(logFolder, 'api.log'),
  });
  await process.start();
  return { process, url: `http://127.0.0.1:${port}` };
}
