import { createLogger } from '@visitor-counter/service/logger';
import { runRole } from '@visitor-counter/test/run-role';
import { startDatabaseProxy, throughProxy } from '@visitor-counter/test/tcp-proxy';
import { databaseWithoutTables } from '@visitor-counter/test/test-database';
import { expect, onTestFinished, test } from 'vitest';
import { answerTo } from '../test/api-under-test.ts';
import { credentials } from '../test/one-store.ts';
import { xmlNames } from '../test/xml-names.ts';
import { readLimits } from './config.ts';
import { startApi } from './start-api.ts';

const quiet = createLogger('api', { LOG_LEVEL: 'silent' });

async function start(databaseUrl: string, port = 0) {
  const config = {
    host: '127.0.0.1',
    port,
    tls: undefined,
    pathId: 'public',
    trustedProxies: [],
    plainSignIn: false,
    xml: xmlNames,
    limits: readLimits({}),
    replica: undefined,
    pageFolder: '/nonexistent',
    units: { mqttUrl: undefined, mqttCa: undefined },
  };
  const api = await runRole('api', (context) => startApi(config, context), databaseUrl, quiet);
  onTestFinished(() => api.close());
  const base = `http://127.0.0.1:${api.ready['httpPort']}`;
  return {
    api,
    probe: (name: string) => answerTo(`${base}/${name}`, {}),
    health: () => answerTo(`${base}/health`, {}),
    today: () =>
      answerTo(`${base}/public/Service.asmx/GetAllCountsByCompanyForTodayPublic`, {
        method: 'POST',
        body: new URLSearchParams(credentials),
      }),
  };
}

test('answers 503 while the database is unavailable, also before the first migration, and recovers automatically', async () => {
  const url = await databaseWithoutTables();
  const proxy = await startDatabaseProxy(url);
  proxy.refuse();
  const { health, probe, today } = await start(throughProxy(url, proxy));
  const away = async () => {
    expect((await health()).text).toBe('{"status":"unavailable"}');
    expect((await health()).status).toBe(503);
    expect((await probe('ready')).status).toBe(503);
    expect((await probe('live')).status).toBe(200);
    const answer = await today();
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toBe('5');
    expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
    expect(answer.body).toMatchObject({ status: 503, code: 'database_unavailable' });
  };
  const back = async () => {
    await expect.poll(async () => (await health()).status).toBe(200);
    expect((await today()).body).toMatchObject({ code: 'invalid_credential' });
  };

  await away();
  proxy.carry();
  await back();
  proxy.refuse();
  await away();
  proxy.carry();
  await back();
});
