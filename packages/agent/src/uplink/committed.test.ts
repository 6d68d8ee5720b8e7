import type { Crossing } from '@visitor-counter/domain/crossing';
import { createLogger } from '@visitor-counter/service/logger';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { encodeCrossings } from '@visitor-counter/wire/crossings-message';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { memoryFileSystem } from '../../test/memory-file-system.ts';
import { type Batch, messagesAt, startBroker, type TestBroker } from '../../test/test-broker.ts';
import type { Journal } from '../journal/journal.ts';
import { openJournal } from '../journal/open-journal.ts';
import { Uplink } from './uplink.ts';
import { defaultUplinkSettings } from './uplink-settings.ts';

/** The uplink of a broker that acknowledges everything immediately, before anything is stored. */
let journal: Journal;
let broker: TestBroker;
let uplink: Uplink;

beforeEach(async () => {
  journal = await openJournal(await temporaryFolder());
  broker = await startBroker();
  await journal.append(crossings(100));
});

afterEach(async () => {
  await uplink.close();
  await broker.close();
  await journal.close();
});

const crossings = (count: number): Crossing[] =>
  Array.from({ length: count }, (_, index) => ({ at: (index + 1) * 1_000, direction: 1 }));

function start(commitWithin = 60_000): void {
  uplink = new Uplink({
    account: { server: broker.server, serial: 'CU-1', secret: 'secret' },
    journal,
    settings: {
      ...defaultUplinkSettings,
      acknowledgement: 'committed',
      commitWithin,
      window: 4,
      crossingsPerMessage: 5,
      drainWithin: 50,
      backOff: { first: 5, longest: 20 },
    },
    heartbeat: () => ({ at: Date.now() }),
    onTime: () => {},
    handlers: {},
    log: createLogger('test', { LOG_LEVEL: 'silent' }),
  });
}

/** The first sequences of the messages that came, in order. */
const firsts = () => messagesAt<Batch>(broker, 'crossings').map(({ first }) => first);
const commit = (through: number, id = journal.id) =>
  broker.publish('counter/v1/CU-1/committed', JSON.stringify({ journal: id, through }));

test('frees crossings when they are committed, not on their PUBACK, and then opens the window', async () => {
  start();
  await expect.poll(() => firsts().length).toBe(1);
  commit(3);
  commit(100, 'another-journal');
  broker.publish('counter/v1/CU-1/committed', 'no message');
  commit(5);
  await expect.poll(() => firsts().length).toBe(5);
  expect(firsts()).toEqual([1, 6, 11, 16, 21]);
  expect(journal.acknowledged).toBe(5);
  commit(17);
  await expect.poll(() => firsts().length).toBe(7);
  expect(journal.acknowledged).toBe(15);
  expect(journal.acknowledgedAt).toBe(15_000);
});

test('frees crossings in memory only when they are committed', async () => {
  await journal.close();
  /* A journal that can store nothing. */
  journal = await openJournal('/', { files: memoryFileSystem(new Map()), limit: 0 });
  void journal.append(crossings(3));
  start();
  await expect.poll(firsts).toEqual([1]);
  expect(journal.held).toBe(3);
  commit(3);
  commit(2, journal.volatile.id);
  commit(3, journal.volatile.id);
  await expect.poll(() => journal.held).toBe(0);
});

test('sends crossings again that are not committed in time, the oldest first', async () => {
  start(50);
  await expect.poll(() => firsts().length).toBeGreaterThanOrEqual(3);
  expect(firsts().slice(0, 3)).toEqual([1, 1, 1]);
  const answering = setInterval(() => commit(Math.max(...firsts()) + 4), 5);
  await expect.poll(() => journal.acknowledged).toBe(100);
  clearInterval(answering);
});

test('sends uncommitted crossings again immediately when the gateway answers a heartbeat', async () => {
  start(1_000);
  await expect.poll(() => firsts().length).toBe(2);
  commit(0);
  await expect.poll(() => firsts().length).toBe(3);
  expect(firsts()).toEqual([1, 1, 1]);
});

test('starts a new connection with the oldest crossing that is not committed', async () => {
  start();
  await expect.poll(() => firsts().length).toBe(1);
  commit(5);
  await expect.poll(() => firsts().length).toBe(5);
  for (const socket of broker.sockets) socket.destroy();
  await expect.poll(() => firsts().length).toBe(6);
  expect(firsts().at(-1)).toBe(6);
});

test('sends nothing before the subscription to `committed` is granted', async () => {
  broker.grant = false;
  start();
  await expect.poll(() => broker.connects).toBeGreaterThan(2);
  expect(broker.received).toEqual([]);
  broker.grant = true;
  await expect.poll(() => firsts().length).toBe(1);
});

test('accepts a PUBACK for crossings that are sent again, and frees nothing', async () => {
  start();
  await expect.poll(() => firsts().length).toBe(1);
  const message = encodeCrossings({ journal: journal.id, first: 50, crossings: await journal.read(50, 5) });
  expect(await uplink.send('crossings', message)).toBe(true);
  expect(firsts()).toEqual([1, 50]);
  expect(journal.acknowledged).toBe(0);
});
