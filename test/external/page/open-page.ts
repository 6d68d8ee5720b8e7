import { startProjector } from '@visitor-counter/database/projection/projector';
import { type Seed, seed } from '@visitor-counter/test/seed';
import { type ServiceProcess, startService, untilReady } from '@visitor-counter/test/service-process';
import type { AtEnd } from '@visitor-counter/test/started-once';
import { databaseOfFile } from '@visitor-counter/test/test-database';

export interface OpenPage {
  readonly databaseUrl: string;
  readonly rows: Seed;
  readonly api: ServiceProcess;
  readonly pageUrl: string;
}

/** An empty database, and an api that serves the page. */
export async function openPage(atEnd: AtEnd): Promise<OpenPage> {
  const databaseUrl = await databaseOfFile(atEnd);
  const rows = seed(databaseUrl, atEnd);
  const api = await startService('api', [], {
    DATABASE_URL: databaseUrl,
    METRICS_PORT: '0',
    HTTP_PORT: '0',
  });
  atEnd(() => api.kill());
  const options = { url: databaseUrl, applicationName: 'test projector', onProblem: () => {} };
  const projector = startProjector(options);
  atEnd(() => projector.close());
  await untilReady(api);
  return { databaseUrl, rows, api, pageUrl: `http://127.0.0.1:${api.ready['httpPort']}/` };
}
