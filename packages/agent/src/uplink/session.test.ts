import { once } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createLogger } from '@visitor-counter/service/logger';
import { expect, onTestFinished, test } from 'vitest';
import { memoryFileSystem } from '../../test/memory-file-system.ts';
import { startBroker } from '../../test/test-broker.ts';
import { openJournal } from '../journal/open-journal.ts';
import { connect } from './connect.ts';
import { Session } from './session.ts';
import { defaultUplinkSettings as settings } from './uplink-settings.ts';

/** Frees memory that nothing refers to. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect === 'function') collect();
}

/** An accepted connection, and a function that begins its session. */
async function connection() {
  const broker = await startBroker();
  onTestFinished(() => broker.close());
  const journal = await openJournal('/', { files: memoryFileSystem(new Map()) });
  onTestFinished(() => journal.close());
  const account = { server: broker.server, serial: 'CU-1', secret: 'secret' };
  const client = await connect(account, settings, new AbortController().signal);
  onTestFinished(() => void client.end(true));
  const begin = () => {
    const session = new Session(client, {
      account,
      journal,
      settings,
      heartbeat: () => ({ at: 0 }),
      onTime: () => {},
      handlers: {},
      log: createLogger('test', { LOG_LEVEL: 'silent' }),
      onRefused: () => {},
    });
    onTestFinished(() => session.abandon());
    return session;
  };
  return { broker, client, begin };
}

test('ends immediately on a connection that is closed already', async () => {
  const { client, begin } = await connection();
  const closed = once(client, 'close');
  client.end(true);
  await closed;
  expect((await begin().over).message).toBe('the connection was closed');
});

test('sends nothing more, and reports so, when it has ended', async () => {
  const { broker, begin } = await connection();
  const session = begin();
  await expect.poll(() => broker.received.length).toBe(2);
  session.abandon();
  expect(await session.send('diagnosis', '{}')).toBe(false);
  expect(await session.report()).toBe(false);
});

test('keeps nothing of a message that is acknowledged', async () => {
  const session = (await connection()).begin();
  const send = async () => {
    const answer = session.send('diagnosis', '{}');
    expect(await answer).toBe(true);
    return new WeakRef(answer);
  };

  const answer = await send();

  const found = () => {
    collectGarbage();
    return answer.deref();
  };
  await expect.poll(found).toBeUndefined();
});
