import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { expect, onTestFinished, test } from 'vitest';
import { startBroker } from '../../test/test-broker.ts';
import { isInUse } from '../journal/disk.ts';
import { openJournal } from '../journal/open-journal.ts';
import { checkServer } from './check-server.ts';

/** A broker behind a server that resets each connection when the client has sent `packets` MQTT packets. */
async function resettingServer(packets: number): Promise<string> {
  const broker = await startBroker();
  const server = createServer((socket) => {
    const toBroker = connect(Number(new URL(broker.server).port), '127.0.0.1');
    toBroker.on('error', () => socket.destroy());
    socket.on('error', () => toBroker.destroy());
    toBroker.pipe(socket);
    let seen = 0;
    socket.on('data', (data: Buffer) => {
      toBroker.write(data);
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

test('the login publishes nothing and leaves no last will', async () => {
  const broker = await startBroker();
  onTestFinished(() => broker.close());

  const findings = await checkServer({ server: broker.server, serial: 'CU-1', secret: 'secret' }, undefined);

  expect(findings.at(-1)).toMatchObject({ what: 'login', verdict: 'ok' });
  expect(broker.received).toEqual([]);
  expect(broker.wills).toBe(0);
});

test('does not log in while an agent has the journal open without answering', async () => {
  const broker = await startBroker();
  const journal = await temporaryFolder();
  onTestFinished(() => broker.close());
  expect(isInUse(journal)).toBe(false);
  const opened = await openJournal(journal);
  expect(isInUse(journal)).toBe(true);
  await opened.close();

  const findings = await checkServer({ server: broker.server, serial: 'CU-1', secret: 'secret' }, 'silent');

  expect(findings.at(-1)).toMatchObject({ what: 'login', verdict: 'fail' });
  expect(broker.connects).toBe(0);
});

test('survives a server that resets the connection when the doctor disconnects', async () => {
  const errors: unknown[] = [];
  const note = (error: unknown) => errors.push(error);
  process.on('uncaughtException', note);
  onTestFinished(() => void process.off('uncaughtException', note));
  const account = { server: await resettingServer(2), serial: 'CU-1', secret: 'secret' };

  const findings = await checkServer(account, undefined);

  /* The reset arrives with the next turn of the event loop, or the one after. */
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(findings.at(-1)).toMatchObject({ what: 'login', verdict: 'ok' });
  expect(errors).toEqual([]);
});
