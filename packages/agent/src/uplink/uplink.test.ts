import type { Crossing } from '@visitor-counter/domain/crossing';
import { createLogger } from '@visitor-counter/service/logger';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { encodeCrossings } from '@visitor-counter/wire/crossings-message';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { crossingsOf } from '../../test/temporary-journal.ts';
import {
  crossingsAt,
  messagesAt,
  type Received,
  startBroker,
  type TestBroker,
} from '../../test/test-broker.ts';
import { type Journal, openJournal } from '../journal/journal.ts';
import type { GatewayHandlers } from './connect.ts';
import { Uplink } from './uplink.ts';
import { type Account, defaultUplinkSettings, type UplinkSettings } from './uplink-settings.ts';

const settings: UplinkSettings = {
  ...defaultUplinkSettings,
  crossingsPerMessage: 5,
  backOff: { first: 5, longest: 20 },
};

let journal: Journal;
let broker: TestBroker;
let uplink: Uplink | undefined;
let times: { at: number; waited: number }[];

beforeEach(async () => {
  times = [];
  journal = await openJournal(await temporaryFolder());
  broker = await startBroker();
});

afterEach(async () => {
  await uplink?.close();
  uplink = undefined;
  await broker.close();
  await journal.close();
});

function start(
  changes: Partial<UplinkSettings> = {},
  account: Partial<Account> = {},
  handlers: GatewayHandlers = {},
): Uplink {
  uplink = new Uplink({
    account: { server: broker.server, serial: 'CU-1', secret: 'secret', ...account },
    journal,
    settings: { ...settings, ...changes },
    heartbeat: () => ({ at: Date.now(), recorded: journal.recorded }),
    onTime: (at, waited) => times.push({ at, waited }),
    handlers,
    log: createLogger('test', { LOG_LEVEL: 'silent' }),
  });
  return uplink;
}

const crossings = (count: number, from = 1): Crossing[] =>
  Array.from({ length: count }, (_, index) => ({
    at: (from + index) * 1_000,
    direction: index % 2 ? -1 : 1,
  }));

/** The instants that the broker has received, by sequence. */
function delivered(): Map<number, number> {
  return new Map(crossingsAt(broker).map(({ sequence, at }) => [sequence, at]));
}
const isCrossings = ({ topic }: Received) => topic.endsWith('/crossings');
const expectAllDelivered = (count: number) =>
  expect([...delivered()].sort(([a], [b]) => a - b)).toEqual(
    crossings(count).map(({ at }, index) => [index + 1, at]),
  );

test('publishes online and a heartbeat, delivers everything in order, and publishes offline', async () => {
  await journal.append(crossings(103));
  start();
  await expect.poll(() => journal.acknowledged).toBe(103);
  await uplink?.close();
  expectAllDelivered(103);
  expect(journal.acknowledgedAt).toBe(103_000);
  expect(broker.received[0]).toEqual({ topic: 'counter/v1/CU-1/status', payload: 'online', retain: true });
  expect(broker.received[1]?.topic).toBe('counter/v1/CU-1/heartbeat');
  expect(broker.received.at(-1)).toEqual({
    topic: 'counter/v1/CU-1/status',
    payload: 'offline',
    retain: true,
  });
});

test('does not match a late time message to a later heartbeat', async () => {
  const clock = vi.spyOn(performance, 'now');
  onTestFinished(() => clock.mockRestore());
  clock.mockReturnValue(1_000);
  const heartbeats = () => messagesAt(broker, 'heartbeat').length;
  const say = (at: number) => broker.publish('counter/v1/CU-1/time', JSON.stringify({ at }));
  const asked = start();
  await expect.poll(() => heartbeats()).toBe(1);
  clock.mockReturnValue(1_100);
  await asked.report();
  clock.mockReturnValue(1_200);
  say(1);
  say(2);
  say(3);
  await expect.poll(() => times.length).toBe(2);

  expect(times).toEqual([
    { at: 1, waited: 200 },
    { at: 2, waited: 100 },
  ]);
});

test('acknowledges nothing before its PUBACK, and has one message in flight', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  let held = 0;
  broker.hold = (message) => {
    if (!isCrossings(message)) return Promise.resolve();
    held += 1;
    return promise;
  };
  await journal.append(crossings(200));
  start();
  await expect.poll(() => held).toBe(1);
  await journal.append(crossings(10, 201));
  expect(journal.acknowledged).toBe(0);
  expect(held).toBe(1);
  resolve();
  await expect.poll(() => journal.acknowledged).toBe(210);
  expectAllDelivered(210);
});

test('delivers everything over connections that end at random, and acknowledges only what arrived', async () => {
  let messages = 0;
  broker.hold = async (message) => {
    if (!isCrossings(message)) return;
    messages += 1;
    if (messages % 7 === 0) for (const socket of broker.sockets) socket.destroy();
    if (messages % 11 === 0) throw new Error('the database is unavailable');
    await new Promise((resolve) => setTimeout(resolve, messages % 3));
  };
  const appending = (async () => {
    for (let from = 1; from <= 300; from += 10) {
      await journal.append(crossings(10, from));
      await new Promise((resolve) => setImmediate(resolve));
    }
  })();
  start();
  const early = new Set<number>();
  const checking = setInterval(() => {
    const seen = delivered();
    for (let sequence = 1; sequence <= journal.acknowledged; sequence += 1)
      if (!seen.has(sequence)) early.add(sequence);
  }, 5);
  await appending;
  await expect.poll(() => journal.acknowledged).toBe(300);
  clearInterval(checking);
  expect([...early]).toEqual([]);
  expect([...delivered().keys()].sort((a, b) => a - b)).toEqual(crossings(300).map((_, index) => index + 1));
});

test('replaces a connection on which crossings are not acknowledged, although heartbeats are', async () => {
  let silent = true;
  broker.hold = (message) => (silent && isCrossings(message) ? new Promise(() => {}) : Promise.resolve());
  await journal.append(crossings(20));
  start({ answerWithin: 500, heartbeatEvery: 20 });
  await expect
    .poll(() => broker.received.filter(({ payload }) => payload === 'online').length)
    .toBeGreaterThanOrEqual(2);
  silent = false;
  await expect.poll(() => journal.acknowledged).toBe(20);
});

test('replaces a connection on which subscriptions are not answered', async () => {
  broker.grant = 'silent';
  await journal.append(crossings(3));
  const waiting = start({ answerWithin: 500, heartbeatEvery: 20 });
  await expect.poll(() => waiting.connected).toBe(true);
  expect(await waiting.report()).toBe(false);
  await expect.poll(() => broker.connects).toBeGreaterThanOrEqual(2);
  expect(broker.received).toEqual([]);
  broker.grant = true;
  await expect.poll(() => journal.acknowledged).toBe(3);
});

test('retries a refused login until it is accepted', async () => {
  broker.accept = false;
  await journal.append(crossings(3));
  start();
  await expect.poll(() => broker.connects).toBeGreaterThan(2);
  expect(broker.received).toEqual([]);
  broker.accept = true;
  await expect.poll(() => journal.acknowledged).toBe(3);
});

test('stops within its time while the server does not answer', async () => {
  broker.hold = (message) => (isCrossings(message) ? new Promise(() => {}) : Promise.resolve());
  await journal.append(crossings(3));
  start({ drainWithin: 100 });
  await expect.poll(() => broker.received.length).toBe(2);
  await uplink?.close();
  expect(journal.acknowledged).toBe(0);
  expect(broker.received.at(-1)?.payload).toBe('offline');
});

test('sends crossings again while new ones are delivered, and not before there is a connection', async () => {
  await journal.append(crossings(10));
  const first = encodeCrossings({ journal: journal.id, first: 1, crossings: crossingsOf(journal) });
  const sending = start();
  expect(await sending.send('crossings', first)).toBe(false);
  await expect.poll(() => journal.acknowledged).toBe(10);

  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  broker.hold = ({ payload }) => (payload.includes('"first":1,') ? held : Promise.resolve());
  const sent = sending.send('crossings', first);
  await journal.append(crossings(20, 11));
  await expect.poll(() => journal.acknowledged).toBe(30);
  await sending.report();
  release();
  expect(await sent).toBe(true);
});

test('delivers crossings to a broker that refuses subscriptions', async () => {
  broker.grant = false;
  await journal.append(crossings(3));
  const ignore = () => {};
  start({}, {}, { config: ignore, commands: ignore });

  await expect.poll(() => journal.acknowledged).toBe(3);

  expect(broker.connects).toBe(1);
});
