import { afterEach, expect, test, vi } from 'vitest';
import { failingDisk } from '../../test/failing-file-system.ts';
import { type MemoryFiles, memoryFileSystem } from '../../test/memory-file-system.ts';
import type { FileSystem } from './file-system.ts';
import type { Journal } from './journal.ts';
import type { JournalOptions } from './journal-state.ts';
import { openJournal } from './open-journal.ts';

afterEach(() => void vi.useRealTimers());

const options = { recordsPerSegment: 4, retryEvery: 1, recheckFor: 0 };
const earlierBoot = '11111111-0000-4000-8000-000000000000';
const at = (person: number) => person * 1_000;
const people = (first: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({ at: at(first + index), direction: 1 as const }));

/** The crossings that a server has stored: the person of each journal and sequence. */
type Stored = Map<string, number>;

/** Delivers all that a journal has to send; every other message's acknowledgement gets lost. */
async function deliver(
  journal: Pick<Journal, 'id' | 'acknowledged' | 'read' | 'acknowledge'>,
  stored: Stored,
): Promise<void> {
  for (let next = journal.acknowledged + 1, message = 0; ; message += 1) {
    const run = await journal.read(next, 2);
    const last = run.at(-1);
    if (!last) return;
    for (const { sequence, at: instant } of run) {
      const key = `${journal.id} ${sequence}`;
      expect(stored.get(key) ?? instant).toBe(instant);
      stored.set(key, instant);
    }
    if (message % 2 === 1) journal.acknowledge(last.sequence, last.at);
    next = last.sequence + 1;
  }
}

async function deliverAll(journal: Journal, stored: Stored): Promise<void> {
  await deliver(journal, stored);
  await deliver(journal.volatile, stored);
}

function diskThat(contents: MemoryFiles, fails: { code: string | undefined }, torn: number) {
  const failing = failingDisk(contents, {
    before: (operation) => {
      if (fails.code !== undefined && operation !== 'open')
        throw Object.assign(new Error(fails.code), { code: fails.code });
    },
    torn,
  });
  const assertWritable = async () => {
    if (fails.code === 'EROFS') throw Object.assign(new Error('EROFS'), { code: 'EROFS' });
  };
  return { ...failing, files: { ...failing.files, assertWritable } };
}

const codes = ['EIO', 'ENOSPC', 'EROFS', 'EACCES'] as const;

test.each(codes.flatMap((code) => [0, 0.5, 1].map((torn) => ({ code, torn }))))(
  'delivers crossings from memory while writing fails ($code, $torn written), and each of them once',
  async ({ code, torn }) => {
    const fails: { code: string | undefined } = { code: undefined };
    const { files } = diskThat(new Map(), fails, torn);
    const journal = await openJournal('/', { ...options, files });
    const stored: Stored = new Map();
    await journal.append(people(1, 6));
    fails.code = code;
    const appended = [journal.append(people(7, 3))];
    await expect.poll(() => journal.isHolding).toBe(true);
    expect(journal).toMatchObject({ recorded: 6, held: 3 });
    appended.push(journal.append(people(10, 5)));
    await deliverAll(journal, stored);
    /* Only crossings that a failed write may have left on the disk are not delivered from memory. */
    expect(stored.size).toBeGreaterThanOrEqual(6 + 5);
    expect(journal.storageProblem?.problem).toBe(code === 'ENOSPC' ? 'full' : 'failed');

    fails.code = undefined;
    await Promise.all(appended);
    await expect.poll(() => journal.storageProblem).toBeUndefined();
    await journal.append(people(15, 3));
    await deliverAll(journal, stored);

    expect([...stored.values()].sort((a, b) => a - b)).toEqual(people(1, 17).map((person) => person.at));
    await journal.close();
  },
);

test.each(codes.flatMap((code) => [0, 0.5, 1].map((torn) => ({ code, torn }))))(
  'delivers no crossing twice after a power cut while writing fails ($code, $torn written)',
  async ({ code, torn }) => {
    const fails: { code: string | undefined } = { code: undefined };
    const disk = diskThat(new Map(), fails, torn);
    const journal = await openJournal('/', { ...options, files: disk.files });
    const stored: Stored = new Map();
    await journal.append(people(1, 6));
    fails.code = code;
    const ignored = journal.append(people(7, 3)).catch(() => {});
    await expect.poll(() => journal.isHolding).toBe(true);
    await deliverAll(journal, stored);
    const after = disk.afterCut(1);
    await journal.close();
    await ignored;

    const again = await openJournal('/', { ...options, files: memoryFileSystem(after) });
    await again.append(people(100, 2));
    await deliverAll(again, stored);

    const seen = [...stored.values()].sort((a, b) => a - b);
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toEqual(expect.arrayContaining([...people(1, 6), ...people(100, 2)].map((one) => one.at)));
    await again.close();
  },
);

/** A journal with one stored crossing, and three that are held because an operation of the disk fails. */
async function holdingBecauseOf(failing: 'write' | 'sync') {
  let fails = false;
  const before = (operation: string) => {
    if (fails && operation === failing) throw Object.assign(new Error('EIO'), { code: 'EIO' });
  };
  const { files } = failingDisk(new Map(), { before, torn: 1 });
  const journal = await openJournal('/', { ...options, files, retryEvery: 60_000 });
  await journal.append(people(1, 1));
  fails = true;
  void journal.append(people(2, 3)).catch(() => {});
  await expect.poll(() => journal.isHolding).toBe(true);
  return journal;
}

test('delivers from memory at once what a failed write has left on the disk, if that can be cut off', async () => {
  const journal = await holdingBecauseOf('write');
  expect(await journal.volatile.read(1, 10)).toHaveLength(3);
  await journal.close();
});

test('delivers nothing from memory that a failed write has left on the disk until the cut is durable', async () => {
  const journal = await holdingBecauseOf('sync');
  expect(await journal.volatile.read(1, 10)).toEqual([]);
  await journal.close();
});

test('counts each held crossing at every moment while it is moved to be sent', async () => {
  const { files } = diskThat(new Map(), { code: 'EROFS' }, 0);
  const journal = await openJournal('/', { ...options, files, retryEvery: 60_000 });
  void journal.append(people(1, 3)).catch(() => {});
  await expect.poll(() => journal.isHolding).toBe(true);
  const reading = journal.volatile.read(1, 10);
  const held = new Set<number>();
  for (let step = 0; step < 20; step += 1) {
    held.add(journal.held);
    await Promise.resolve();
  }
  expect(await reading).toHaveLength(3);
  expect([...held]).toEqual([3]);
  await journal.close();
});

test.each(['EIO', 'ENOENT'])(
  'continues in a new segment if the last one cannot be opened: %s',
  async (code) => {
    const contents: MemoryFiles = new Map();
    const memory = memoryFileSystem(contents);
    let unusable: string | undefined;
    const open = async (path: string) => {
      if (path === unusable) throw Object.assign(new Error(code), { code });
      return memory.open(path);
    };
    const journal = await openJournal('/', { ...options, rereadFor: 0, files: { ...memory, open } });
    await journal.append(people(1, 1));
    unusable = [...contents.keys()].find((name) => name.endsWith('.journal'));
    await journal.append(people(2, 2));
    expect(journal).toMatchObject({ recorded: 3, held: 0, isHolding: false });
    unusable = undefined;
    expect((await journal.read(1, 1)).map(({ at: instant }) => instant)).toEqual([at(1)]);
    expect((await journal.read(2, 2)).map(({ at: instant }) => instant)).toEqual([at(2), at(3)]);
    await journal.close();
  },
);

test('opens on a read-only disk, delivers pending and held crossings, and writes again when it can', async () => {
  const contents: MemoryFiles = new Map();
  const before = await openJournal('/', { ...options, files: memoryFileSystem(contents), boot: earlierBoot });
  await before.append(people(1, 6));
  await before.close();
  const fails: { code: string | undefined } = { code: 'EROFS' };
  const { files } = diskThat(contents, fails, 0);
  const journal = await openJournal('/', { ...options, files });
  expect(journal).toMatchObject({
    id: before.id,
    recorded: 6,
    storageProblem: { problem: 'failed' },
    isHolding: true,
  });
  const stored: Stored = new Map();
  void journal.append(people(7, 1));
  void journal.append(people(8, 2));
  await deliverAll(journal, stored);
  expect(stored.size).toBe(9);
  const kept = journal.append(people(10, 1));
  fails.code = undefined;
  await kept;
  await deliverAll(journal, stored);

  expect(journal).toMatchObject({ recorded: 7, held: 0 });
  expect(stored.size).toBe(10);
  await journal.close();
});

test('fails instead of writing to a folder in which a journal appears, as on a disk that is mounted late', async () => {
  const contents: MemoryFiles = new Map();
  const memory = memoryFileSystem(contents);
  const before = await openJournal('/', { ...options, files: memory });
  await before.append(people(1, 2));
  await before.close();
  const state = { isMounted: false };
  const assertMounted = (code: string) => {
    if (!state.isMounted) throw Object.assign(new Error(code), { code });
  };
  const files: FileSystem = {
    ...memory,
    makeDirectory: async () => assertMounted('EROFS'),
    lock: async () => {
      assertMounted('ENOENT');
      return async () => {};
    },
    list: async (path) => (state.isMounted ? memory.list(path) : []),
    read: async (path) => (state.isMounted ? memory.read(path) : undefined),
  };
  const journal = await openJournal('/', { ...options, files });
  const appended = journal.append(people(3, 1));
  state.isMounted = true;
  await expect(appended).rejects.toThrow('a journal has appeared in its folder');
  await journal.close();

  const again = await openJournal('/', { ...options, files: memory });
  expect(again).toMatchObject({ id: before.id, recorded: 2, lost: [] });
  await again.close();
});

/** A disk in memory on which files can neither grow nor be created while `state.full` is set. */
function boundedDisk(contents: MemoryFiles, state: { readonly full: boolean }): FileSystem {
  const grows = (path: string, position: number, length: number) =>
    state.full && position + length > (contents.get(path)?.length ?? 0);
  const memory = memoryFileSystem(contents);
  const full = () => Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
  const bounded = async (path: string, opening: ReturnType<typeof memory.open>) => {
    const file = await opening;
    return {
      ...file,
      write: async (bytes: Buffer, position: number) => {
        /* Even a small file uses a whole block on a disk. */
        if (path.endsWith('.journal') && grows(path, position, bytes.length)) throw full();
        await file.write(bytes, position);
      },
    };
  };
  return {
    ...memory,
    open: (path: string) => bounded(path, memory.open(path)),
    create: (path: string) => (state.full ? Promise.reject(full()) : bounded(path, memory.create(path))),
  };
}

test('declares crossings lost at the next start that were neither written to a full disk nor delivered', async () => {
  const contents: MemoryFiles = new Map();
  const state = { full: false };
  const files = boundedDisk(contents, state);
  const stored: Stored = new Map();
  const journal = await openJournal('/', { ...options, files });
  await journal.append(people(1, 6));
  await deliverAll(journal, stored);
  state.full = true;
  const ignored = [journal.append(people(7, 2)).catch(() => {})];
  await expect.poll(() => journal.held).toBe(2);
  await deliverAll(journal, stored);
  journal.volatile.acknowledge(2, at(8));
  ignored.push(journal.append(people(9, 5)).catch(() => {}));
  await expect.poll(() => contents.get('/acknowledged.json')?.toString()).toContain('"counted":11');
  const afterCut: MemoryFiles = new Map([...contents].map(([path, bytes]) => [path, Buffer.from(bytes)]));
  await journal.close();
  await Promise.all(ignored);

  /* Still full: the declaration is durable, and its sequences are not used again. */
  const onFullDisk = boundedDisk(afterCut, state);
  await (await openJournal('/', { ...options, files: onFullDisk })).close();
  state.full = false;
  const again = await openJournal('/', { ...options, files: onFullDisk });
  expect(again).toMatchObject({ id: journal.id, recorded: 11, lost: [[7, 11]], held: 0 });
  await again.append(people(20, 3));
  expect(await again.read(7, 10)).toMatchObject([{ sequence: 12 }, { sequence: 13 }, { sequence: 14 }]);
  again.acknowledge(14, at(22));
  await again.close();
  const last = await openJournal('/', { ...options, files: onFullDisk });
  expect(last).toMatchObject({ recorded: 14, acknowledged: 14, lost: [[7, 11]] });
  expect([...stored.values()]).toEqual(people(1, 8).map((person) => person.at));
  await last.close();
});

test('declares nothing lost at the next start that was delivered from memory', async () => {
  const contents: MemoryFiles = new Map();
  const state = { full: false };
  const journal = await openJournal('/', { ...options, files: boundedDisk(contents, state) });
  await journal.append(people(1, 6));
  state.full = true;
  const appended = journal.append(people(7, 2));
  const note = () => contents.get('/acknowledged.json')?.toString();
  await expect.poll(note).toContain('"counted":8');
  await deliverAll(journal, new Map());
  journal.volatile.acknowledge(2, at(8));
  await appended;
  await expect.poll(note).not.toContain('"counted":8');
  const afterCut: MemoryFiles = new Map([...contents].map(([path, bytes]) => [path, Buffer.from(bytes)]));
  await journal.close();

  const again = await openJournal('/', { ...options, files: memoryFileSystem(afterCut) });
  expect(again).toMatchObject({ recorded: 6, lost: [] });
  await again.close();
});

test('declares crossings lost at the next start that were only in memory when it was closed', async () => {
  const contents: MemoryFiles = new Map();
  const state = { full: false };
  const files = boundedDisk(contents, state);
  const journal = await openJournal('/', { ...options, files, retryEvery: 60_000 });
  await journal.append(people(1, 6));
  state.full = true;
  const appended = journal.append(people(7, 2));
  appended.catch(() => {});
  await expect.poll(() => journal.isHolding).toBe(true);
  await journal.close();
  await expect(appended).rejects.toThrow('the disk is full');

  const again = await openJournal('/', { ...options, files: memoryFileSystem(contents) });
  expect(again).toMatchObject({ recorded: 8, lost: [[7, 8]] });
  await again.close();
});

test('reads what it stores after sequences that were declared lost at its start', async () => {
  const contents: MemoryFiles = new Map();
  const state = { full: false };
  const journal = await openJournal('/', { ...options, files: boundedDisk(contents, state) });
  await journal.append(people(1, 6));
  state.full = true;
  const ignored = journal.append(people(7, 2)).catch(() => {});
  await expect.poll(() => contents.get('/acknowledged.json')?.toString()).toContain('"counted":8');
  const afterCut: MemoryFiles = new Map([...contents].map(([path, bytes]) => [path, Buffer.from(bytes)]));
  await journal.close();
  await ignored;

  const again = await openJournal('/', { ...options, files: memoryFileSystem(afterCut) });
  await again.append(people(9, 2));
  expect(await again.read(7, 10)).toMatchObject([{ sequence: 9 }, { sequence: 10 }]);
  expect(again.lost).toEqual([[7, 8]]);
  await again.close();
});

test('ends no journal while the disk cannot be written', async () => {
  const contents: MemoryFiles = new Map();
  const state = { full: false };
  const journal = await openJournal('/', { ...options, files: boundedDisk(contents, state) });
  await journal.append(people(1, 2));
  journal.acknowledge(2, at(2));
  state.full = true;
  const appended = journal.append(people(3, 1));
  await expect.poll(() => journal.isHolding).toBe(true);

  await expect(journal.beginNew(journal.id, new AbortController().signal)).rejects.toThrow(
    'the disk is full',
  );

  expect(await journal.read(1, 10)).toHaveLength(2);
  state.full = false;
  await appended;
  expect(journal.recorded).toBe(3);
  await journal.close();
});

test('changes no file once it is closed, even if held crossings could not be noted before', async () => {
  const contents: MemoryFiles = new Map();
  const memory = memoryFileSystem(contents);
  const disk = { fails: false, noting: Promise.withResolvers<never>() };
  const noted = Promise.withResolvers<void>();
  const failed = Object.assign(new Error('EIO'), { code: 'EIO' });
  const create = async (path: string) => {
    if (!disk.fails) return memory.create(path);
    if (!path.startsWith('/acknowledged')) throw failed;
    noted.resolve();
    return disk.noting.promise;
  };
  const journal = await openJournal('/', { ...options, files: { ...memory, create } });
  disk.fails = true;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const appended = journal.append(people(1, 1));
  await vi.waitUntil(() => journal.isHolding);
  expect(await journal.volatile.read(1, 1)).toHaveLength(1);
  await appended;
  await vi.advanceTimersByTimeAsync(1_000);
  await noted.promise;
  const closed = journal.close();
  disk.noting.reject(failed);
  await closed;

  disk.fails = false;
  const before = contents.get('/acknowledged.json')?.toString();
  await vi.advanceTimersByTimeAsync(120_000);
  expect(contents.get('/acknowledged.json')?.toString()).toBe(before);
});

const reserving: JournalOptions = { ...options, reserve: 3 };

test('reports a full disk before crossings need more room on it', async () => {
  const disk = { free: 2_000_000 };
  const files = { ...memoryFileSystem(new Map()), freeBytes: async () => disk.free };
  const journal = await openJournal('/', { ...reserving, recordsPerSegment: 4_096, files });
  await journal.append(people(1, 1));
  await expect.poll(() => journal.storageProblem).toBeUndefined();
  disk.free = 0;
  await journal.append(people(2, 1));
  await expect.poll(() => journal.storageProblem?.problem).toBe('full');
  expect(journal).toMatchObject({ recorded: 2, held: 0, isHolding: false });
  disk.free = 2_000_000;
  await expect.poll(() => journal.storageProblem).toBeUndefined();
  await journal.close();
});

test('stores in its reserve while other files fill the disk, also after a restart, and refills it', async () => {
  const contents: MemoryFiles = new Map();
  const state = { full: false };
  const files = boundedDisk(contents, state);
  const journal = await openJournal('/', { ...reserving, files });
  await journal.append(people(1, 2));
  await expect.poll(() => [...contents.keys()].filter((name) => name.endsWith('.reserve'))).toHaveLength(3);
  state.full = true;
  await journal.append(people(3, 3));
  await expect.poll(() => journal.storageProblem?.problem).toBe('full');
  expect(journal).toMatchObject({ recorded: 5, held: 0, isHolding: false });
  await journal.close();

  const again = await openJournal('/', { ...reserving, files });
  await again.append(people(6, 5));
  expect(again).toMatchObject({ recorded: 10, held: 0 });
  void again.append(people(11, 1)).catch(() => {});
  await expect.poll(() => again).toMatchObject({ recorded: 10, held: 1, isHolding: true });
  const stored: Stored = new Map();
  await deliverAll(again, stored);
  expect([...stored.values()].sort((a, b) => a - b)).toEqual(people(1, 11).map((person) => person.at));
  await again.close();
});

test('uses up its reserve before it frees acknowledged crossings on a full disk', async () => {
  const contents: MemoryFiles = new Map();
  const state = { full: false };
  const disk = boundedDisk(contents, state);
  const remove = async (path: string) => {
    await disk.remove(path);
    if (path.endsWith('.journal')) state.full = false;
  };
  const keeping: JournalOptions = { ...reserving, keepFor: 1e12, files: { ...disk, remove } };
  const before = await openJournal('/', keeping);
  await before.append(people(1, 8));
  await expect.poll(() => [...contents.keys()].filter((name) => name.endsWith('.reserve'))).toHaveLength(3);
  before.acknowledge(8, at(8));
  await before.close();

  state.full = true;
  /* The start writes the last segment again, into the reserve. */
  const journal = await openJournal('/', keeping);
  await journal.append(people(9, 8));
  expect(await journal.read(1, 1)).toMatchObject([{ sequence: 1 }]);
  await journal.append(people(17, 1));
  expect(journal).toMatchObject({ recorded: 17, lost: [] });
  expect(await journal.read(1, 1)).toMatchObject([{ sequence: 5 }]);
  await journal.close();
});
