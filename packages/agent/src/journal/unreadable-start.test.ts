import type { Crossing } from '@visitor-counter/domain/crossing';
import { expect, test } from 'vitest';
import { failingDisk } from '../../test/failing-file-system.ts';
import { type MemoryFiles, memoryFileSystem } from '../../test/memory-file-system.ts';
import { type ReadFault, type ReadPart, withReadFaults } from '../../test/read-faults.ts';
import { monotonicMs } from '../clock/time.ts';
import type { JournalOptions } from './journal-state.ts';
import { openJournal } from './open-journal.ts';

const boot = '11111111-0000-4000-8000-000000000000';
const people = (count: number): Crossing[] =>
  Array.from({ length: count }, (_, index) => ({ at: (index + 1) * 1_000, direction: 1 }));

/**
 * A journal of 100 crossings, the first of them acknowledged, in segments of `recordsPerSegment`; the instant of the last
 * one follows from the time of its boot.
 */
async function hundred(recordsPerSegment: number, acknowledged = 10) {
  const contents: MemoryFiles = new Map();
  const files = memoryFileSystem(contents);
  const options: JournalOptions = { recordsPerSegment, keepFor: 1e12, boot };
  const journal = await openJournal('/', { ...options, files });
  await journal.append(people(99));
  await journal.append([{ at: 1, direction: 1, moment: monotonicMs(5), isDated: false }]);
  await journal.storeBootTimes([{ boot, offset: 100_000, uncertainty: 7 }]);
  journal.acknowledge(acknowledged, acknowledged * 1_000);
  await journal.close();
  const reopen = (faultOf: (part: ReadPart) => ReadFault | undefined, rereadFor = 20_000) =>
    openJournal('/', { ...options, files: withReadFaults(files, faultOf), rereadFor, recheckFor: 0 });
  return { contents, id: journal.id, reopen };
}

type Hundred = Awaited<ReturnType<typeof hundred>>;

async function expectAll(
  { contents, id, reopen }: Hundred,
  faultOf: (part: ReadPart) => ReadFault | undefined,
) {
  const journal = await reopen(faultOf);
  expect(journal).toMatchObject({ id, recorded: 100, acknowledged: 10, lost: [], setAside: [] });
  expect(await journal.read(1, 200)).toHaveLength(100);
  expect((await journal.read(100, 1))[0]).toMatchObject({ at: 100_005, uncertainty: 7 });
  await journal.close();
  expect([...contents.keys()].filter((name) => name.endsWith('.damaged'))).toEqual([]);
}

/** The files whose reads fail; `part` is called only for reads. */
const places: Record<string, (part: ReadPart) => boolean> = {
  'all files': () => true,
  'the folder': ({ operation }) => operation === 'list',
  'a header': ({ operation, path, from }) => operation === 'read' && path.endsWith('.journal') && from === 0,
  'the opening of segments': ({ operation, path }) => operation === 'open' && path.endsWith('.journal'),
  'acknowledged.json': ({ path }) => path === '/acknowledged.json',
  'both files of clocks': ({ path }) => path.startsWith('/clocks'),
};
const codes = ['EIO', 'ENXIO', 'EREMOTEIO', 'ETIMEDOUT'];

test.each(Object.keys(places).flatMap((place, index) => [[place, codes[index % 4] ?? 'EIO'] as const]))(
  'loses nothing after 250 ms of errors in %s at the start (%s)',
  async (place, code) => {
    const unit = await hundred(1_000);
    let began: number | undefined;
    await expectAll(unit, (part) => {
      if (!places[place]?.(part)) return undefined;
      began ??= performance.now();
      return performance.now() - began < 250 ? { code } : undefined;
    });
  },
);

test.each(['all files', 'the folder', 'the opening of segments'])(
  'fails to open without any change while the disk cannot read %s, and reads everything later',
  async (place) => {
    const unit = await hundred(1_000);
    unit.contents.set('/acknowledged.json.new', Buffer.from('{'));
    const before = new Map([...unit.contents].map(([path, bytes]) => [path, bytes.toString('hex')]));
    const fails = (part: ReadPart) => (places[place]?.(part) ? { code: 'EIO' } : undefined);

    await expect(unit.reopen(fails, 100)).rejects.toMatchObject({
      code: 'journal-unreadable',
      message: expect.stringContaining('replace it, or rename the folder'),
    });

    expect(new Map([...unit.contents].map(([path, bytes]) => [path, bytes.toString('hex')]))).toEqual(before);
    await expectAll(unit, () => undefined);
  },
);

test('retries reading a header, which has the boot of later crossings, even if those in its sector are acknowledged', async () => {
  const { reopen } = await hundred(100, 20);
  const before = await reopen(() => undefined);
  await before.append(people(1));
  await before.close();
  /* The reads of the whole file and of its first sector. */
  let failures = 2;
  const journal = await reopen(({ operation, path, from, until }) =>
    operation === 'read' &&
    path === '/0000000000000001.journal' &&
    from === 0 &&
    until > 128 &&
    failures-- > 0
      ? { code: 'EIO' }
      : undefined,
  );
  expect(await journal.read(100, 1)).toMatchObject([{ at: 100_005, uncertainty: 7 }]);
  await journal.close();
});

test('uses the id of the acknowledged position if the only header is permanently unreadable', async () => {
  const { id, reopen, contents } = await hundred(1_000);
  const fails = ({ operation, path, from }: ReadPart) =>
    operation === 'read' && path.endsWith('.journal') && from < 512 ? { code: 'EIO' } : undefined;

  const journal = await reopen(fails, 100);

  expect(journal).toMatchObject({ id, recorded: 100, acknowledged: 10, lost: [[1, 12]], setAside: [] });
  expect((await journal.read(11, 200)).map(({ sequence }) => sequence)[0]).toBe(13);
  await journal.close();
  contents.delete('/acknowledged.json');
  await expect(reopen(fails, 100)).rejects.toThrow('no readable file contains its id');
});

test('uses the id of another segment if a header is permanently unreadable', async () => {
  const { id, reopen, contents } = await hundred(40);
  contents.delete('/acknowledged.json');
  const fails = ({ operation, path, from }: ReadPart) =>
    operation === 'read' && path === '/0000000000000081.journal' && from < 512 ? { code: 'EIO' } : undefined;
  const journal = await reopen(fails, 100);
  expect(journal).toMatchObject({ id, recorded: 100, lost: [[81, 92]] });
  await journal.close();
});

test('reports lost sequences after a restart, whatever the disk can read then', async () => {
  const { reopen } = await hundred(1_000);
  const isSecond = ({ operation, path, from, until }: ReadPart) =>
    operation === 'read' && path.endsWith('.journal') && from < 1_024 && until > 512
      ? { code: 'EIO' }
      : undefined;
  const damaged = await reopen(isSecond, 50);
  expect(damaged.lost).toEqual([[13, 28]]);
  await damaged.close();
  const again = await reopen(() => undefined);
  expect(again.lost).toEqual([[13, 28]]);
  await again.close();
});

test('starts although the disk cannot remove an incomplete file', async () => {
  const contents: MemoryFiles = new Map([['/acknowledged.json.new', Buffer.from('{')]]);
  const before = (operation: string, path: string) => {
    if (operation === 'remove' && path.endsWith('.new'))
      throw Object.assign(new Error('damaged'), { code: 'EIO' });
  };
  const journal = await openJournal('/', { files: failingDisk(contents, { before, torn: 1 }).files });
  await journal.append([{ at: 1_000, direction: 1 }]);
  expect(journal.recorded).toBe(1);
  await journal.close();
});
