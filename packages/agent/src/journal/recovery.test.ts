import type { Crossing } from '@visitor-counter/domain/crossing';
import { expect, test } from 'vitest';
import { type MemoryFiles, memoryFileSystem } from '../../test/memory-file-system.ts';
import { withReadFaults } from '../../test/read-faults.ts';
import type { Journal } from './journal.ts';
import { openJournal } from './open-journal.ts';

const recordsPerSegment = 4;

const crossings = (count: number, from = 1): Crossing[] =>
  Array.from({ length: count }, (_, index) => ({ at: (from + index) * 1_000, direction: 1 }));

/** The contents of a journal with 10 crossings in segments of 4. */
async function tenInThree(): Promise<{ files: MemoryFiles; names: string[] }> {
  const files: MemoryFiles = new Map();
  const journal = await open(files);
  await journal.append(crossings(10));
  await journal.close();
  return { files, names: [...files.keys()].filter((name) => name.endsWith('.journal')).sort() };
}

const open = (files: MemoryFiles) =>
  openJournal('/', { files: memoryFileSystem(files), recordsPerSegment, rereadFor: 0, recheckFor: 0 });

async function sequences(journal: Journal, atOnce = 3): Promise<number[]> {
  const all: number[] = [];
  for (let next = 1; ; next = (all.at(-1) ?? 0) + 1) {
    const run = await journal.read(next, atOnce);
    if (run.length === 0) return all;
    for (const { sequence, at } of run) {
      expect(at).toBe(sequence * 1_000);
      all.push(sequence);
    }
  }
}

const through = (last: number) => Array.from({ length: last }, (_, index) => index + 1);

async function expectContinues(files: MemoryFiles, whole: number): Promise<void> {
  const journal = await open(files);
  expect(journal.recorded).toBe(whole);
  expect(journal.lost).toEqual([]);
  await journal.append(crossings(3, whole + 1));
  expect(await sequences(journal)).toEqual(through(whole + 3));
  await journal.close();
}

test('recovers every whole record of a last segment that is torn at any byte, and appends after them', async () => {
  const { files, names } = await tenInThree();
  const last = names.at(-1) ?? '';
  const bytes = files.get(last) ?? Buffer.alloc(0);
  for (let length = 128; length < bytes.length; length += 1) {
    const torn = new Map(files).set(last, bytes.subarray(0, length));
    await expectContinues(torn, 8 + Math.floor((length - 128) / 32));
  }
});

test('removes a tail of zeros or garbage before it appends', async () => {
  for (const tail of [Buffer.alloc(1_000), Buffer.alloc(31, 7), Buffer.alloc(96, 255)]) {
    const { files, names } = await tenInThree();
    const last = names.at(-1) ?? '';
    files.set(last, Buffer.concat([files.get(last) ?? tail, tail]));
    await expectContinues(files, 10);
  }
});

test('loses at most the record with a damaged byte, and reports it unless it was the last one', async () => {
  const { files, names } = await tenInThree();
  for (const [place, name] of names.entries()) {
    const bytes = files.get(name) ?? Buffer.alloc(0);
    for (let offset = 0; offset < bytes.length; offset += 1) {
      const damaged = Buffer.from(bytes);
      damaged[offset] = (damaged[offset] ?? 0) ^ 0x41;
      const journal = await open(new Map(files).set(name, damaged));
      const hit = offset < 128 ? undefined : place * 4 + 1 + Math.floor((offset - 128) / 32);
      expect(await sequences(journal)).toEqual(through(10).filter((sequence) => sequence !== hit));
      expect(journal.lost).toEqual(hit === undefined || hit === 10 ? [] : [[hit, hit]]);
      await journal.close();
    }
  }
});

test('ignores an acknowledged position with a damaged byte', async () => {
  const { files } = await tenInThree();
  const before = await open(files);
  before.acknowledge(3, 3_000);
  await before.close();
  const name = '/acknowledged.json';
  const bytes = files.get(name) ?? Buffer.alloc(0);
  expect(bytes.length).toBeGreaterThan(50);
  for (let offset = 0; offset < bytes.length; offset += 1) {
    for (const mask of [0x01, 0x02, 0x04, 0x41]) {
      const damaged = Buffer.from(bytes);
      damaged[offset] = (damaged[offset] ?? 0) ^ mask;
      const journal = await open(new Map(files).set(name, damaged));
      expect([0, 3]).toContain(journal.acknowledged);
      expect({ recorded: journal.recorded, lost: journal.lost }).toEqual({ recorded: 10, lost: [] });
      await journal.close();
    }
  }
});

test('reports a missing segment as lost, and reads the others', async () => {
  const { files, names } = await tenInThree();
  files.delete(names[1] ?? '');
  const journal = await open(files);
  expect(journal.lost).toEqual([[5, 8]]);
  expect(await sequences(journal)).toEqual([1, 2, 3, 4, 9, 10]);
  await journal.close();
});

test('sets a last file without header or records aside, and declares its sequences lost instead of using them again', async () => {
  const { files, names } = await tenInThree();
  const last = names.at(-1) ?? '';
  files.set(last, Buffer.alloc(files.get(last)?.length ?? 0));
  const journal = await open(files);
  expect(journal.setAside).toEqual([last.replace('/', '')]);
  expect(journal.recorded).toBe(10);
  expect(journal.lost).toEqual([[9, 10]]);
  expect(files.has(`${last}.damaged`)).toBe(true);
  await journal.append(crossings(3, 11));
  const left = [...through(8), 11, 12, 13];
  expect(await sequences(journal)).toEqual(left);
  await journal.close();

  const again = await open(files);
  expect(again.lost).toEqual([[9, 10]]);
  expect(await sequences(again)).toEqual(left);
  await again.close();
});

test('uses no sequence again if two segment files have exchanged their names', async () => {
  const { files, names } = await tenInThree();
  const [first = '', , last = ''] = names;
  const content = files.get(first) ?? Buffer.alloc(0);
  files.set(first, files.get(last) ?? content).set(last, content);
  const journal = await open(files);
  expect(journal.recorded).toBeGreaterThanOrEqual(10);
  expect(journal.lost).toEqual([
    [1, 4],
    [9, journal.recorded],
  ]);
  expect(await sequences(journal)).toEqual([5, 6, 7, 8]);
  await journal.close();
});

test.each([0, 24, 1_000].flatMap((size) => [[size, 4] as const, [size, 40] as const]))(
  'opens although the disk cannot rename a file of %i bytes without header or records, and reads the same at the next start (segments of %i)',
  async (size, recordsPerSegment) => {
    const { files, names } = await tenInThree();
    files.set(names.at(-1) ?? '', Buffer.alloc(size));
    const disk = {
      ...memoryFileSystem(files),
      rename: async (from: string, to: string) => {
        if (to.endsWith('.damaged')) throw Object.assign(new Error('EIO'), { code: 'EIO' });
        await memoryFileSystem(files).rename(from, to);
      },
    };
    const reopen = () => openJournal('/', { files: disk, recordsPerSegment, rereadFor: 0, recheckFor: 0 });
    const journal = await reopen();
    const { recorded, lost } = journal;
    await journal.append(crossings(3, recorded + 1));
    await journal.close();

    const again = await reopen();
    expect(again.lost).toEqual(lost);
    expect(await sequences(again)).toEqual([...through(8), recorded + 1, recorded + 2, recorded + 3]);
    await again.close();
  },
);

test('uses no sequence again after all files of a journal are set aside', async () => {
  const { files, names } = await tenInThree();
  for (const name of names) files.set(name, Buffer.alloc(files.get(name)?.length ?? 0));
  const first = await open(files);
  expect(first.lost).toEqual([[1, 10]]);
  await first.close();
  const journal = await open(files);
  expect(journal.lost).toEqual([[1, 10]]);
  await journal.append(crossings(2, 11));
  expect(await sequences(journal)).toEqual([11, 12]);
  await journal.close();
});

test('begins another journal if nothing in a folder can be recognised', async () => {
  const { files, names } = await tenInThree();
  for (const name of names) files.set(name, Buffer.alloc(files.get(name)?.length ?? 0));
  files.delete('/acknowledged.json');
  for (const before of [0, 2]) {
    const journal = await open(files);
    expect(journal).toMatchObject({ recorded: before, lost: [] });
    await journal.append(crossings(2, before + 1));
    expect(await sequences(journal)).toEqual(through(before + 2));
    await journal.close();
  }
});

test('declares no crossings lost that were acknowledged before the disk damaged them', async () => {
  const { files, names } = await tenInThree();
  const reading = { rereadFor: 0, recheckFor: 0 };
  const keeping = { files: memoryFileSystem(files), recordsPerSegment, keepFor: 1e12, ...reading };
  const before = await openJournal('/', keeping);
  before.acknowledge(4, 4_000);
  await before.close();
  for (const name of names) files.get(name)?.fill(0, 128 + 32, 128 + 64);

  const journal = await openJournal('/', keeping);
  expect(journal.lost).toEqual([[6, 6]]);
  expect(await sequences(journal)).toEqual([1, 3, 4, 5, 7, 8, 9]);
  await journal.close();
});

/** A journal of 100 crossings in segments of 40, on a disk that cannot read the sector at `position` of one of its files. */
async function withBadSector(name: string, position: number) {
  const memory = memoryFileSystem(new Map());
  let bad = false;
  const files = withReadFaults(memory, ({ operation, path, from, until }) => {
    const isHit = operation === 'read' && path === name && from < position + 512 && until > position;
    return bad && isHit ? { code: 'EIO' } : undefined;
  });
  const reopen = () =>
    openJournal('/', { files, recordsPerSegment: 40, keepFor: 1e15, rereadFor: 100, recheckFor: 0 });
  const journal = await reopen();
  await journal.append(crossings(100));
  return { journal, reopen, wearOut: () => (bad = true) };
}

const [first, last] = ['/0000000000000001.journal', '/0000000000000081.journal'];

/* The first sector of a segment contains its header and 12 records, each further one 16. */
test.each([
  { where: 'the first segment', name: first, position: 512, lost: [[13, 28]] },
  { where: 'the header of the first segment', name: first, position: 0, lost: [[1, 12]] },
  { where: 'the end of the last segment', name: last, position: 512, lost: [[93, 100]] },
  { where: 'the header of the last segment', name: last, position: 0, lost: [[81, 92]] },
])(
  'loses only the records in an unreadable sector of $where, and reports them',
  async ({ name, position, lost }) => {
    const { journal, reopen, wearOut } = await withBadSector(name, position);
    wearOut();
    const left = through(100).filter(
      (sequence) => !lost.some(([a = 0, b = 0]) => sequence >= a && sequence <= b),
    );
    expect(await sequences(journal, 40)).toEqual(left);
    await journal.close();

    const again = await reopen();

    expect(again.lost).toEqual(lost);
    expect(again.setAside).toEqual([]);
    await again.append(crossings(10, 101));
    expect(await sequences(again, 40)).toEqual([...left, ...through(110).slice(100)]);
    await again.close();
    const once = await reopen();
    expect(once.recorded).toBe(110);
    await once.close();
  },
);

test('does not open while the disk cannot open the last segment, whose sequences would be used again', async () => {
  const disk = { fails: false };
  const files = withReadFaults(memoryFileSystem(new Map()), ({ operation, path }) =>
    disk.fails && operation === 'open' && path === last ? { code: 'EIO' } : undefined,
  );
  const reopen = () => openJournal('/', { files, recordsPerSegment: 40, rereadFor: 0, recheckFor: 0 });
  const journal = await reopen();
  await journal.append(crossings(100));
  await journal.close();
  disk.fails = true;
  await expect(reopen()).rejects.toThrow('cannot be read');
  disk.fails = false;

  const again = await reopen();
  expect(again).toMatchObject({ recorded: 100, lost: [] });
  await again.close();
});

test('reads records again after a transient disk error', async () => {
  let failures = 6;
  const memory = memoryFileSystem((await tenInThree()).files);
  const files = withReadFaults(memory, ({ operation, path }) =>
    operation === 'read' && path.endsWith('.journal') && failures-- > 0 ? { code: 'EIO' } : undefined,
  );
  const journal = await openJournal('/', { files, recordsPerSegment });
  expect(await sequences(journal, 40)).toEqual(through(10));
  failures = 2;
  expect(await sequences(journal, 40)).toEqual(through(10));
  await journal.close();
});

test.each(['/acknowledged.json', '/clocks.json'])(
  'opens without %s if the disk cannot read it',
  async (name) => {
    const { journal, reopen, wearOut } = await withBadSector(name, 0);
    journal.acknowledge(50, 50_000);
    await journal.storeBootTimes([{ boot: 'b', offset: 1, uncertainty: 1 }]);
    await journal.close();
    wearOut();

    const again = await reopen();

    expect(await sequences(again, 40)).toEqual(through(100));
    await again.close();
  },
);

test('declares the sequences of a file lost that is set aside between or before other segments', async () => {
  for (const [place, lost] of [
    [1, [[5, 8]]],
    [0, [[1, 4]]],
  ] as const) {
    for (const hasPosition of [true, false]) {
      const { files, names } = await tenInThree();
      files.set(names[place] ?? '', Buffer.alloc(0));
      if (!hasPosition) files.delete('/acknowledged.json');
      const journal = await open(files);
      expect(journal.lost).toEqual(lost);
      expect(journal.acknowledged).toBe(0);
      await journal.close();
    }
  }
});
