import type { Crossing } from '@visitor-counter/domain/crossing';
import { createLogger } from '@visitor-counter/service/logger';
import { expect, onTestFinished, test } from 'vitest';
import { type MemoryFiles, memoryFileSystem } from '../../test/memory-file-system.ts';
import { withReadFaults } from '../../test/read-faults.ts';
import { crossingsAt, messagesAt, startBroker, type TestBroker } from '../../test/test-broker.ts';
import type { FileSystem } from '../journal/file-system.ts';
import type { Journal } from '../journal/journal.ts';
import { openJournal } from '../journal/open-journal.ts';
import { Uplink } from './uplink.ts';
import { defaultUplinkSettings, type UplinkSettings } from './uplink-settings.ts';

const people = (count: number): Crossing[] =>
  Array.from({ length: count }, (_, index) => ({ at: (index + 1) * 1_000, direction: 1 }));

/** A unit with `count` pending crossings on a card whose reads fail while `fails` says so, and its broker. */
async function unitWith(count: number, fails: (from: number, until: number) => boolean, rereadFor = 20_000) {
  const contents: MemoryFiles = new Map();
  const memory = memoryFileSystem(contents);
  const files = withReadFaults(memory, ({ operation, path, from, until }) =>
    operation === 'read' && path.endsWith('.journal') && fails(from, until) ? { code: 'EIO' } : undefined,
  );
  const filled = await openJournal('/', { files: memory, keepFor: 1e12 });
  await filled.append(people(count));
  await filled.close();
  const open = () => openJournal('/', { files, keepFor: 1e12, rereadFor, recheckFor: 0 });
  return { open, broker: await openBroker() };
}

async function openBroker(): Promise<TestBroker> {
  const broker = await startBroker();
  onTestFinished(() => broker.close());
  return broker;
}

function deliver(journal: Journal, broker: TestBroker, settings: Partial<UplinkSettings> = {}): Uplink {
  const uplink = new Uplink({
    account: { server: broker.server, serial: 'CU-1', secret: 'secret' },
    journal,
    settings: { ...defaultUplinkSettings, drainWithin: 50, backOff: { first: 5, longest: 20 }, ...settings },
    heartbeat: () => {
      const { id, recorded, acknowledged } = journal;
      const lost = journal.lost.map(([first, last]): [string, number, number] => [id, first, last]);
      return { at: Date.now(), journal: id, recorded, acknowledged, lost };
    },
    onTime: () => {},
    handlers: {},
    log: createLogger('test', { LOG_LEVEL: 'silent' }),
  });
  onTestFinished(async () => {
    await uplink.close();
    await journal.close();
  });
  return uplink;
}

interface Heartbeat {
  readonly acknowledged: number;
  readonly lost: [string, number, number][];
}

const heartbeats = (broker: TestBroker) => messagesAt<Heartbeat>(broker, 'heartbeat');

/** The sequences of one journal that were received. */
function delivered(broker: TestBroker, journal: string): Set<number> {
  const own = crossingsAt(broker).filter((crossing) => crossing.journal === journal);
  return new Set(own.map(({ sequence }) => sequence));
}
test.each([50, 300, 1_500])('loses nothing after a read error of %i ms', async (ms) => {
  let fails = false;
  const { open, broker } = await unitWith(1_000, () => fails);
  const journal = await open();
  fails = true;
  deliver(journal, broker);
  await expect.poll(() => broker.received.length).toBeGreaterThan(0);
  setTimeout(() => {
    fails = false;
  }, ms);
  await expect.poll(() => journal.acknowledged).toBe(1_000);
  expect(delivered(broker, journal.id).size).toBe(1_000);
  expect(journal.lost).toEqual([]);
});

test.each([
  ['at the start', true],
  ['while the journal is open', false],
])(
  'delivers the rest when the disk can be written again after the first segment vanished %s',
  async (_, atStart) => {
    const contents: MemoryFiles = new Map();
    const memory = memoryFileSystem(contents);
    const full = Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
    let isFull = false;
    const failing = <Result>(work: () => Promise<Result>) => (isFull ? Promise.reject(full) : work());
    const openFile: FileSystem['open'] = async (path) => {
      if (!contents.has(path)) throw Object.assign(new Error('ENOENT'), { code: 'ENOENT' });
      const file = await memory.open(path);
      return { ...file, write: (bytes, position) => failing(() => file.write(bytes, position)) };
    };
    const files: FileSystem = {
      ...memory,
      open: openFile,
      create: (path) => failing(() => memory.create(path)),
    };
    const open = (boot: string) =>
      openJournal('/', { files, recordsPerSegment: 40, boot, rereadFor: 50, recheckFor: 0 });
    let journal = await open('11111111-0000-4000-8000-000000000000');
    await journal.append(people(100));
    const vanish = () => contents.delete('/0000000000000001.journal');
    if (atStart) {
      await journal.close();
      vanish();
      isFull = true;
      journal = await open('22222222-0000-4000-8000-000000000000');
    } else {
      vanish();
      isFull = true;
    }
    const broker = await openBroker();
    deliver(journal, broker);
    await expect.poll(() => heartbeats(broker).length).toBeGreaterThan(0);
    void journal.append([{ at: 1e6, direction: 1 }]);
    await expect.poll(() => delivered(broker, journal.volatile.id).size).toBe(1);
    expect(delivered(broker, journal.id).size).toBe(0);

    isFull = false;

    await expect.poll(() => journal.acknowledged).toBe(100);
    expect(delivered(broker, journal.id).size).toBe(60);
    expect(journal.lost).toEqual([[1, 40]]);
    expect(broker.connects).toBe(1);
  },
);

/** The third sector of the file: sequences 29 to 44. */
const isThirdSector = (from: number, end: number) => from < 1_536 && end > 1_024;

test('declares an unreadable sector in a heartbeat before an acknowledgement covers it', async () => {
  let fails = false;
  const { open, broker } = await unitWith(100, (from, end) => fails && isThirdSector(from, end), 200);
  const journal = await open();
  fails = true;
  deliver(journal, broker);

  await expect.poll(() => journal.acknowledged).toBe(100);

  expect(delivered(broker, journal.id).size).toBe(84);
  expect(journal.lost).toEqual([[29, 44]]);
  const declared = heartbeats(broker).find(({ lost }) => lost.length > 0);
  expect(declared).toMatchObject({ lost: [[journal.id, 29, 44]] });
  expect(declared?.acknowledged).toBeLessThan(29);
  await journal.close();
  const again = await open();
  expect(again).toMatchObject({ id: journal.id, acknowledged: 100, lost: [[29, 44]] });
  await again.close();
});

test.each([0, 28])(
  'acknowledges lost sequences at the end of the journal without another crossing, with %i acknowledged before',
  async (acknowledged) => {
    let fails = false;
    const { open, broker } = await unitWith(44, (from, end) => fails && isThirdSector(from, end), 100);
    const journal = await open();
    journal.acknowledge(acknowledged, 1_000 * acknowledged);
    fails = true;
    deliver(journal, broker);
    await expect.poll(() => journal.acknowledged).toBe(44);
    expect(delivered(broker, journal.id).size).toBe(28 - acknowledged);
  },
);

test('delivers a new journal over the same connection under its own id', async () => {
  const { open, broker } = await unitWith(30, () => false);
  const journal = await open();
  const { id } = journal;
  deliver(journal, broker, { crossingsPerMessage: 7 });
  const begun = journal.beginNew(id, new AbortController().signal);
  await journal.append(people(3));
  await begun;
  await journal.append(people(12));
  await expect.poll(() => journal.acknowledged).toBe(journal.recorded);
  expect(broker.received.filter(({ payload }) => payload === 'online')).toHaveLength(1);
  const before = delivered(broker, id).size;
  const after = delivered(broker, journal.id).size;
  expect(journal.id).not.toBe(id);
  expect(before + after).toBe(45);
  expect(after).toBe(journal.recorded);
});
