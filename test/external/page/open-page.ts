import { startProjector } from '@visitor-counter/database/projection/projector';
import { seed } from '@visitor-counter/test/seed';
import { startService, untilReady } from '@visitor-counter/test/service-process';
import type { AtEnd } from '@visitor-counter/test/started-once';
import { databaseOfFile } from '@visitor-counter/test/test-database';

/** An empty database, and an api that serves the page. */
export async function openPage(atEnd: AtEnd) {
  const databaseUrl = await databaseOfFile(atEnd);
  const rows = seed(databaseUrl, atEnd);
  const startApi = async (HTTP_PORT: string) => {
    const api = await startService('api', [], { DATABASE_URL: databaseUrl, METRICS_PORT: '0', HTTP_PORT });
    atEnd(() => api.kill());
    await untilReady(api);
    return api;
  };
  const api = await startApi('0');
  const options = { url: databaseUrl, applicationName: 'test projector', onProblem: () => {} };
  const projector = startProjector(options);
  atEnd(() => projector.close());
  const port = String(api.ready['httpPort']);
  /** Starts it again on its port after it was killed. */
  const startApiAgain = () => startApi(port);
  return { databaseUrl, rows, api, pageUrl: `http://127.0.0.1:${port}/`, startApiAgain };
}
