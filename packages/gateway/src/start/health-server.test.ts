import { expect, onTestFinished, test } from 'vitest';
import { type HealthCheck, startHealthServer } from './health-server.ts';

async function start(check: HealthCheck, port = 0, anyPort = false) {
  const address = { host: '127.0.0.1', port, setting: 'HEALTH_PORT' };
  const server = await startHealthServer({ address, anyPort, check });
  onTestFinished(() => server.close());
  return server;
}

test('is ready when the check says so, and lives in any case', async () => {
  let reason: string | undefined;
  const { port } = await start(async () => reason);
  const get = async (path: string) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`);
    return [answer.status, await answer.json()];
  };

  for (const path of ['/live', '/ready', '/health']) expect(await get(path)).toEqual([200, { status: 'ok' }]);

  reason = 'starting';
  expect(await get('/live')).toEqual([200, { status: 'ok' }]);
  for (const path of ['/ready', '/health']) {
    expect(await get(path)).toEqual([503, { status: 'unavailable', reason }]);
  }
  expect((await fetch(`http://127.0.0.1:${port}/metrics`)).status).toBe(404);
  expect((await fetch(`http://127.0.0.1:${port}/health`, { method: 'POST' })).status).toBe(405);
});

test('takes the next free port where any will do', async () => {
  const taken = await start(async () => undefined);

  const next = await start(async () => undefined, taken.port, true);

  expect(next.port).toBeGreaterThan(taken.port);
  await expect(start(async () => undefined, taken.port)).rejects.toThrow('HEALTH_PORT');
});
