import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { startBroker } from '../uplink/testing/test-broker.ts';
import { checkServer } from './check-server.ts';

/** A broker behind a server that resets each connection when the client has sent `packets` MQTT packets. */
async function resettingServer(packets: number): Promise<string> {
  const broker = await startBroker();
  const server = createServer((socket) => {
    const behind = connect(Number(new URL(broker.server).port), '127.0.0.1');
    behind.on('error', () => socket.destroy());
    socket.on('error', () => behind.destroy());
    behind.pipe(socket);
    let seen = 0;
    socket.on('data', (data: Buffer) => {
      behind.write(data);
      seen += 1;
      if (seen === packets) socket.resetAndDestroy();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.close();
    await broker.close();
  });
  const address = server.address();
  return `mqtt://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}

test.each([
  ['publishes', 2, 'fail'],
  ['takes its leave', 3, 'ok'],
] as const)(
  'a server that resets the connection when the doctor %s is survived',
  async (_, packets, trip) => {
    const errors: unknown[] = [];
    const note = (error: unknown) => errors.push(error);
    process.on('uncaughtException', note);
    onTestFinished(() => void process.off('uncaughtException', note));
    const account = { server: await resettingServer(packets), serial: 'CU-1', secret: 'secret' };

    const findings = await checkServer(account, undefined);

    // The reset arrives with the next turn of the event loop, or the one after.
    for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(findings.slice(2).map(({ what, verdict }) => [what, verdict])).toEqual([
      ['login', 'ok'],
      ['round trip', trip],
    ]);
    expect(errors).toEqual([]);
  },
);
