import type { Crossing } from '@visitor-counter/domain/crossing';
import { expect, test } from 'vitest';
import { cutEverywhere, failEverywhere } from '../../test/fail-everywhere.ts';
import { failingDisk } from '../../test/failing-file-system.ts';
import { type MemoryFiles, memoryFileSystem } from '../../test/memory-file-system.ts';
import { withReadFaults } from '../../test/read-faults.ts';
import type { FileSystem } from './file-system.ts';
import type { Journal } from './journal.ts';
import { openJournal } from './open-journal.ts';

const options = { recordsPerSegment: 3, retryEvery: 1, recheckFor: 0 };
const never = new AbortController().signal;
const at = (person: number) => person * 1_000;
const people = (first: number, count: number): Crossing[] =>
  Array.from({ length: count }, (_, index) => ({ at: at(first + index), direction: 1 }));

const open = (contents: MemoryFiles) => openJournal('/', { ...options, files: memoryFileSystem(contents) });

async function readAll(journal: Journal): Promise<[sequence: number, at: number][]> {
  const all: [number, number][] = [];
  for (let next = 1; ; next = (all.at(-1)?.[0] ?? 0) + 1) {
    const run = await journal.read(next, 2);
    if (run.length === 0) return all;
    for (const { sequence, at: instant } of run) all.push([sequence, instant]);
  }
}

test('begins a journal with another id once everything is acknowledged, and counts from 1', async () => {
  const contents: MemoryFiles = new Map();
  const journal = await open(contents);
  await journal.append(people(1, 10));
  const { id } = journal;
  const begun = journal.beginNew(id, never);
  journal.acknowledge(7, at(7));
  await journal.append(people(11, 1));
  expect(journal).toMatchObject({ id, recorded: 11 });
  journal.acknowledge(11, at(11));
  await begun;
  expect(journal.id).not.toBe(id);
  expect(journal).toMatchObject({ recorded: 0, acknowledged: 0, recordedAt: at(11) });
  await journal.append(people(12, 2));
  const { id: newId } = journal;
  await journal.close();

  const again = await open(contents);

  expect(again).toMatchObject({ id: newId, recorded: 2, acknowledged: 0, lost: [] });
  expect(await readAll(again)).toEqual([
    [1, at(12)],
    [2, at(13)],
  ]);
  expect([...contents.keys()].filter((name) => name.endsWith('.journal'))).toHaveLength(1);
  await again.close();
});

test('begins one journal if two requests end the same one', async () => {
  const journal = await open(new Map());
  let begun = 0;
  journal.changes.begun.add(() => (begun += 1));
  const { id } = journal;
  await Promise.all([journal.beginNew(id, never), journal.beginNew(id, never)]);
  expect(begun).toBe(1);
  await journal.close();
});

test('does nothing for the id of another journal, and rejects when its signal aborts or the journal closes', async () => {
  const journal = await open(new Map());
  const { id } = journal;
  await journal.beginNew('another', never);
  expect(journal.id).toBe(id);
  await journal.append(people(1, 1));
  const abort = new AbortController();
  const aborted = journal.beginNew(id, abort.signal);
  abort.abort(new Error('enough'));
  await expect(aborted).rejects.toThrow('enough');
  const pending = journal.beginNew(id, never);
  const closed = expect(pending).rejects.toThrow('aborted');
  await journal.close();
  await closed;
  expect(journal.id).toBe(id);
});

/** The reports of a unit before it failed: at which key each person was durable, and how far each journal was acknowledged. */
interface Reported {
  readonly durable: Map<string, number>;
  readonly acknowledged: Map<string, number>;
}

/**
 * Records 8 people, ends the journal while 4 more pass, and records 2 more. `cut` rejects when the power fails: crossings
 * that cannot be written are held in memory, and appending does not end.
 */
async function live(files: FileSystem, reported: Reported, cut?: Promise<never>): Promise<void> {
  const journal = await openJournal('/', { ...options, files });
  const acknowledgeAll = () => {
    journal.acknowledge(journal.recorded, journal.recordedAt);
    reported.acknowledged.set(journal.id, journal.recorded);
  };
  const record = async (first: number, count: number) => {
    const appended = journal.append(people(first, count));
    await Promise.race([appended, cut ?? appended]);
    for (const [sequence, person] of await readAll(journal))
      reported.durable.set(`${journal.id} ${sequence}`, person);
  };
  try {
    await record(1, 8);
    acknowledgeAll();
    const begun = journal.beginNew(journal.id, new AbortController().signal);
    const passing = record(9, 4);
    await Promise.all([begun, passing.then(acknowledgeAll)]);
    await record(13, 2);
  } finally {
    await journal.close();
  }
}

/** Either journal is complete; no reported crossing is missing, and no key ever belongs to two people. */
async function expectOneJournal(contents: MemoryFiles, { durable, acknowledged }: Reported): Promise<void> {
  const journal = await open(contents);
  const expectKnown = async () => {
    const found = await readAll(journal);
    for (const [sequence, person] of found) {
      const key = `${journal.id} ${sequence}`;
      expect(durable.get(key) ?? person).toBe(person);
      durable.set(key, person);
    }
    return new Set(found.map(([sequence]) => `${journal.id} ${sequence}`));
  };
  const found = await expectKnown();
  for (const key of durable.keys()) {
    const [id = '', sequence] = key.split(' ');
    const isAcknowledged = Number(sequence) <= (acknowledged.get(id) ?? 0);
    if (!isAcknowledged) expect(found).toContain(key);
  }
  await journal.append(people(100, 2));
  await expectKnown();
  journal.acknowledge(journal.recorded, journal.recordedAt);
  const { id } = journal;
  await journal.beginNew(id, never);
  expect(journal.id).not.toBe(id);
  await journal.append(people(200, 1));
  expect(await readAll(journal)).toEqual([[1, at(200)]]);
  await journal.close();
}

const life = {
  reported: (): Reported => ({ durable: new Map(), acknowledged: new Map() }),
  live,
  check: expectOneJournal,
};

test('has either the old journal or the new one after a power cut at any file operation, and no sequence twice', async () => {
  expect(await cutEverywhere(life)).toBeGreaterThan(30);
});

test.each(['EIO', 'ENOSPC'])(
  'loses no crossing and no journal after %s at any file operation',
  async (code) => {
    await failEverywhere(code, life);
  },
);

test('knows after a restart what is acknowledged of a new journal whose first position could not be stored', async () => {
  const contents: MemoryFiles = new Map();
  const disk = { hasBegun: false, isFailing: false };
  const before = (operation: string, path: string) => {
    if (operation === 'rename' && path === '/0000000000000001.journal') disk.isFailing = disk.hasBegun;
    if (operation !== 'create' || !path.startsWith('/acknowledged') || !disk.isFailing) return;
    disk.isFailing = false;
    throw Object.assign(new Error('EIO'), { code: 'EIO' });
  };
  const { files } = failingDisk(contents, { before, torn: 1 });
  const journal = await openJournal('/', { ...options, files });
  await journal.append(people(1, 8));
  journal.acknowledge(8, at(8));
  disk.hasBegun = true;
  await journal.beginNew(journal.id, never);
  await journal.append(people(9, 8));
  journal.acknowledge(8, at(16));
  const { id } = journal;
  await journal.close();

  const again = await open(contents);
  expect(again).toMatchObject({ id, recorded: 8, acknowledged: 8, lost: [] });
  await again.close();
});

test('stores new crossings while the end of the old journal cannot be read', async () => {
  let isFailing = false;
  const files = withReadFaults(memoryFileSystem(new Map()), ({ operation, path }) =>
    isFailing && operation === 'read' && path.endsWith('.journal') ? { code: 'EIO' } : undefined,
  );
  const journal = await openJournal('/', { ...options, files, rereadFor: 20_000 });
  await journal.append(people(1, 1));
  isFailing = true;
  let isRead = false;
  const reading = journal.read(1, 1).finally(() => {
    isRead = true;
  });
  const begun = journal.beginNew(journal.id, never);
  await journal.append(people(2, 1));
  expect(isRead).toBe(false);
  isFailing = false;
  expect(await reading).toHaveLength(1);
  journal.acknowledge(2, at(2));
  await begun;
  expect(journal).toMatchObject({ recorded: 0 });
  await journal.close();
});
