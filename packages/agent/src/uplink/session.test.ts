import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createLogger } from '@visitor-counter/service/logger';
import { expect, onTestFinished, test, vi } from 'vitest';
import { temporaryJournal } from '../../test/temporary-journal.ts';
import { startBroker } from '../../test/test-broker.ts';
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
  const journal = await temporaryJournal();
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
  return { broker, client, journal, begin };
}

test('ends immediately on a connection that is closed already', async () => {
  const { client, begin } = await connection();
  await new Promise<void>((resolve) => {
    client.once('close', () => resolve());
    client.end(true);
  });
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

test('ends, and acknowledges nothing, if its client can no longer send', async () => {
  const { broker, client, journal, begin } = await connection();
  const session = begin();
  await expect.poll(() => broker.received.length).toBe(2);
  client.end();
  journal.append([{ at: 1, direction: 1 }]);
  expect(await session.send('diagnosis', '{}')).toBe(false);
  expect((await session.over).message).toBe('client disconnecting');
  expect(journal.acknowledged).toBe(0);
});

test('does not start if it ends before the broker answers its subscription', async () => {
  const { broker, client, begin } = await connection();
  begin().abandon();
  await client.publishAsync('last', '', { qos: 1 });
  await client.publishAsync('last', '', { qos: 1 });
  expect(broker.received.map(({ topic }) => topic)).toEqual(['last', 'last']);
});

test('acknowledges nothing on a PUBACK that arrives after its end', async () => {
  const { broker, client, journal, begin } = await connection();
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  let isSent = false;
  broker.hold = async ({ topic }) => {
    if (!topic.endsWith('/crossings')) return;
    isSent = true;
    await held;
  };
  journal.append([{ at: 1, direction: 1 }]);
  const session = begin();
  await expect.poll(() => isSent).toBe(true);
  session.abandon();
  release();
  await client.publishAsync('last', '', { qos: 1 });
  expect(broker.received.at(-2)?.topic).toContain('/crossings');
  expect(journal.acknowledged).toBe(0);
});

test('stays open while no answer is expected', async () => {
  const { begin } = await connection();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const session = begin();
  while (!(await session.report())) await setImmediate();
  await vi.advanceTimersByTimeAsync(settings.progressWithin + 1);
  expect(await session.report()).toBe(true);
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
