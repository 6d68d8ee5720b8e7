import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { jsonPage, startOperatorServer } from './operator-server.ts';

test('closes connections that do not send their request in time, and then answers others again', async () => {
  const address = { host: '127.0.0.1', port: 0, setting: 'METRICS_PORT' };
  const pages = { '/live': async () => jsonPage(200, { status: 'ok' }) };
  const server = await startOperatorServer({ address, pages, requestTimeout: 500 });
  onTestFinished(() => server.close());
  const patient = await startOperatorServer({ address, pages, requestTimeout: 3_600_000 });
  onTestFinished(() => patient.close());
  const earlier = connect(patient.port, '127.0.0.1').on('error', () => {});
  onTestFinished(() => void earlier.destroy());

  const silent = Array.from({ length: 100 }, (_, index) => {
    const socket = connect(server.port, '127.0.0.1').on('error', () => {});
    if (index % 2 === 0) socket.write('GET /live HT');
    return socket.resume();
  });
  await Promise.all(silent.map((socket) => once(socket, 'close')));

  expect(earlier.closed).toBe(false);
  expect((await fetch(`http://127.0.0.1:${server.port}/live`)).status).toBe(200);
});
