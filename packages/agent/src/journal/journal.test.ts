import { fork } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { acknowledge, crossingsOf, faultyDisk, temporaryJournal } from '../../test/temporary-journal.ts';
import { monotonicMs } from '../clock/time.ts';
import { fileName } from './disk.ts';
import { type Journal, openJournal } from './journal.ts';
import type { NewCrossing } from './rows.ts';
import { pageSize } from './write-ahead-log.ts';

/** Crossings whose instants follow from their sequences. */
const people = (count: number, first = 1): NewCrossing[] =>
  Array.from({ length: count }, (_, index) => ({ at: 1_000 + first + index, direction: 1 }));

/** Acknowledges everything; returns the sequences of each journal. */
function deliverAll(journal: Journal): Map<string, number[]> {
  const delivered = new Map<string, number[]>();
  for (let batch = journal.next(70); batch; batch = journal.next(70)) {
    const { journal: name, crossings } = batch;
    for (const { at, sequence, direction } of crossings)
      if (direction === 1) expect(at).toBe(1_000 + sequence);
    delivered.set(name, [...(delivered.get(name) ?? []), ...crossings.map(({ sequence }) => sequence)]);
    journal.acknowledge(batch);
  }
  return delivered;
}

test('numbers crossings without gaps, and continues where it was closed', async () => {
  const folder = await temporaryFolder();
  const first = await openJournal(folder);
  first.append(people(3));
  acknowledge(first, 2, 1_002);
  await first.close();

  const second = await openJournal(folder);
  second.append(people(2, 4));

  expect(second).toMatchObject({ id: first.id, recorded: 5, recordedAt: 1_005, acknowledged: 2 });
  expect([...deliverAll(second).values()]).toEqual([[3, 4, 5]]);
  await second.close();
});

test('removes acknowledged crossings after their time, and never reuses a sequence', async () => {
  const folder = await temporaryFolder();
  for (let first = 1; first <= 5; first += 2) {
    const journal = await openJournal(folder, { keepFor: 0 });
    journal.append(people(2, first));
    deliverAll(journal);
    await journal.close();
  }
  const journal = await openJournal(folder);
  expect(journal).toMatchObject({ recorded: 6, acknowledged: 6, pending: 0 });
  expect(crossingsOf(journal).at(-1)?.sequence).toBe(6);
  await journal.close();
});

test('removes acknowledged crossings after their time, also one of which a byte has changed', async () => {
  const folder = await temporaryFolder();
  const first = await openJournal(folder, { keepFor: 500 });
  const { id } = first;
  first.append(people(400));
  deliverAll(first);
  await first.close();
  const path = join(folder, fileName);
  const changed = await readFile(path);
  let row = 0;
  for (let found = 0; found < 20; found += 1) row = changed.indexOf(id, row + 1);
  /* After the name of the journal: a byte of the checksum. */
  changed.writeUInt8(changed.readUInt8(row + 36) ^ 1, row + 36);
  await writeFile(path, changed);

  const journal = await openJournal(folder, { keepFor: 500 });
  journal.append(people(600, 401));
  deliverAll(journal);

  expect(crossingsOf(journal).at(0)?.sequence).toBeGreaterThan(400);
  await journal.close();
});

test('declares a crossing that was removed lost once, from wherever delivery continues', async () => {
  const folder = await temporaryFolder();
  const first = await openJournal(folder, { keepFor: 0 });
  first.append(people(5));
  deliverAll(first);
  await first.close();

  const journal = await openJournal(folder);
  for (const from of [1, 3, 2]) {
    journal.continueFrom(journal.id, from);
    deliverAll(journal);
  }
  expect(journal.lost).toEqual([[journal.id, 1, 4]]);
  await journal.close();
});

test('makes room for new crossings by removing acknowledged ones, and holds new ones when there are none', async () => {
  const journal = await temporaryJournal({ limit: 100_000, keepFor: 1e12 });
  for (let first = 1; first <= 10_000; first += 500) {
    journal.append(people(500, first));
    deliverAll(journal);
  }
  expect(journal).toMatchObject({ recorded: 10_000, storageProblem: undefined });
  for (let first = 1; first <= 10_000; first += 500) journal.append(people(500, first));
  expect(journal.storageProblem?.problem).toBe('limit');
  expect(journal.pending).toBe(10_000);
});

test('stores what it has held at its limit when older crossings are acknowledged', async () => {
  const journal = await temporaryJournal({ limit: 100_000, keepFor: 1e12, retryEvery: 5 });
  for (let first = 1; !journal.storageProblem; first += 100) journal.append(people(100, first));
  for (let batch = journal.next(500); batch; batch = journal.next(500)) journal.acknowledge(batch);

  await expect.poll(() => journal.storageProblem, { timeout: 5_000 }).toBeUndefined();
});

test('delivers what the disk cannot store under another id, and stores it when the disk works again', async () => {
  const folder = await temporaryFolder();
  const { disk, beforeUse } = faultyDisk();
  const journal = await openJournal(folder, { beforeUse, retryEvery: 5 });
  journal.append(people(2));
  disk.code = 'EIO';
  journal.append(people(3));
  expect(journal).toMatchObject({ recorded: 2, held: 3, pending: 5 });
  disk.code = undefined;
  await expect.poll(() => journal.storageProblem).toBeUndefined();
  expect(journal).toMatchObject({ recorded: 2, held: 0, pending: 5 });
  const { id } = journal;
  await journal.close();

  const again = await openJournal(folder);

  const delivered = deliverAll(again);
  expect(delivered.get(id)).toEqual([1, 2]);
  expect([...delivered.values()].flat()).toHaveLength(5);
  await again.close();
});

test('delivers what it had stored while the disk reports errors, and what is in doubt later', async () => {
  const { disk, beforeUse } = faultyDisk('sync');
  const journal = await temporaryJournal({ beforeUse, retryEvery: 5 });
  journal.append(people(3));
  disk.code = 'EIO';
  journal.append(people(1, 4));
  expect(journal).toMatchObject({ recorded: 3, held: 1, pending: 4 });
  expect([...deliverAll(journal).values()]).toEqual([[1, 2, 3]]);
  disk.code = undefined;
  await expect.poll(() => journal.storageProblem).toBeUndefined();
  expect([...deliverAll(journal)]).toEqual([[journal.id, [4]]]);
});

test('delivers each crossing under one key while the disk reports errors of what it may have stored', async () => {
  const steps = fc.array(
    fc.oneof(
      fc.record({ append: fc.integer({ min: 1, max: 3 }) }),
      fc.constantFrom('fail', 'work', 'deliver', 'begin', 'continue', 'reopen'),
    ),
    { maxLength: 30 },
  );
  await fc.assert(
    fc.asyncProperty(steps, async (steps) => {
      const folder = await temporaryFolder();
      const { disk, beforeUse } = faultyDisk('sync');
      const open = () => openJournal(folder, { beforeUse, retryEvery: 1, keepFor: 1e12 });
      let journal = await open();
      const instants: number[] = [];
      /** The instant that was sent under each key. */
      const sent = new Map<string, number>();
      const deliver = () => {
        for (let batch = journal.next(2); batch; batch = journal.next(2)) {
          for (const { at, sequence } of batch.crossings) {
            const key = `${batch.journal} ${sequence}`;
            expect(sent.get(key) ?? at).toBe(at);
            sent.set(key, at);
          }
          journal.acknowledge(batch);
        }
      };
      const recover = async () => {
        disk.code = undefined;
        await expect.poll(() => journal.storageProblem).toBeUndefined();
      };
      for (const step of steps) {
        if (typeof step === 'object') {
          const crossings = Array.from({ length: step.append }, (_, n) => instants.length + n);
          instants.push(...crossings);
          journal.append(crossings.map((at) => ({ at, direction: 1 })));
        } else if (step === 'fail') disk.code = 'EIO';
        else if (step === 'work') await recover();
        else if (step === 'deliver') deliver();
        else if (step === 'begin') attempt(() => journal.beginNew(journal.id));
        else if (step === 'continue') attempt(() => journal.continueFrom(journal.id, 1));
        else {
          await recover();
          await journal.close();
          journal = await open();
        }
        await setImmediate();
      }
      await recover();
      deliver();
      await journal.close();
      expect([...sent.values()].toSorted((a, b) => a - b)).toEqual(instants);
    }),
    { numRuns: 100 },
  );
});

/** Attempts what a failing disk refuses. */
function attempt(work: () => void): void {
  try {
    work();
  } catch (error) {
    expect(error).toMatchObject({ code: expect.stringMatching(/EIO|not-stored/) });
  }
}

test('keeps the crossings of a journal that has ended, and delivers them again', async () => {
  const folder = await temporaryFolder();
  const first = await openJournal(folder, { keepFor: 1e12 });
  const ended = first.id;
  first.append(people(3));
  first.beginNew(ended);
  first.append(people(1));
  deliverAll(first);
  await first.close();

  const again = await openJournal(folder, { keepFor: 1e12 });
  expect(again.pending).toBe(0);
  expect(again.continueFrom(ended, 2)).toBe(true);

  expect([...deliverAll(again)]).toEqual([[ended, [2, 3]]]);
  await again.close();
});

test('takes over what an older unit has counted since, sends nothing again, and changes no instant', async () => {
  const [folder, card] = [await temporaryFolder(), await temporaryFolder()];
  const undated = { direction: -1, at: 7, moment: monotonicMs(3), isDated: false } as const;
  const older = await openJournal(card, { boot: 'a' });
  older.append([...people(2), undated]);
  await older.close();
  const journal = await openJournal(folder, { boot: 'b', keepFor: 1e12 });
  journal.adoptOlder(card);
  journal.determineInstants([{ boot: 'a', offset: 100, uncertainty: 2 }]);
  deliverAll(journal);
  const later = await openJournal(card, { boot: 'c' });
  later.append(people(1, 4));
  await later.close();

  expect(journal.adoptOlder(card)).toMatchObject([{ name: older.id, recorded: 4 }]);

  expect(journal).toMatchObject({ pending: 1, hasUndated: false });
  expect(journal.next(9)?.crossings).toMatchObject([{ sequence: 4, at: 1_004 }]);
  await journal.close();
});

test('takes known instants from a newer copy of a journal while it has none', async () => {
  const card = await temporaryFolder();
  const older = await openJournal(card, { boot: 'a' });
  older.append([{ direction: -1, at: 7, moment: monotonicMs(3), isDated: false }]);
  await older.close();
  const journal = await temporaryJournal({ boot: 'b' });
  journal.adoptOlder(card);
  const newer = await openJournal(card, { boot: 'a' });
  newer.determineInstants([{ boot: 'a', offset: 100, uncertainty: 0 }]);
  await newer.close();

  journal.adoptOlder(card);

  expect(journal).toMatchObject({ pending: 1, hasUndated: false });
  expect(journal.next(9)?.crossings).toMatchObject([{ at: 103 }]);
});

test('knows what it has taken over although the disk reports an error', async () => {
  const [folder, ...cards] = await Promise.all([1, 2, 3].map(() => temporaryFolder()));
  for (const card of cards) {
    const older = await openJournal(card);
    older.append(people(40));
    await older.close();
  }
  const { disk, beforeUse } = faultyDisk('sync');
  const journal = await openJournal(folder ?? '', { beforeUse, keepFor: 1e12 });
  const [first = '', second = ''] = cards;
  disk.code = 'EIO';
  expect(() => journal.adoptOlder(first)).toThrow('nobody knows');
  disk.code = undefined;
  for (const card of [second, first, second]) journal.adoptOlder(card);
  expect(journal.pending).toBe(80);
  const { id } = journal;
  await journal.close();

  const again = await openJournal(folder ?? '', { keepFor: 1e12 });
  expect(again).toMatchObject({ id, lost: [], pending: 80 });
  expect([...deliverAll(again).values()].map(({ length }) => length)).toEqual([40, 40]);
  await again.close();
});

test('takes the journals of an older unit over, delivers them first, and takes their boots for earlier ones', async () => {
  const [folder, card] = [await temporaryFolder(), await temporaryFolder()];
  const undated = (at: number) => ({ direction: -1, at, moment: monotonicMs(3), isDated: false }) as const;
  const older = await openJournal(card, { boot: 'a' });
  older.append([...people(3), undated(7)]);
  acknowledge(older, 1, 1_001);
  await older.close();
  const journal = await openJournal(folder, { boot: 'b', keepFor: 1e12 });
  journal.append([undated(5), ...people(1, 2)]);

  expect(journal.adoptOlder(card)).toMatchObject([{ name: older.id, recorded: 4, acknowledged: 1 }]);
  expect(journal).toMatchObject({ recorded: 2, pending: 5 });
  expect(journal.undatedBoots.map(({ boot }) => boot)).toEqual(['a', 'b']);
  journal.beginNew(journal.id);
  await journal.close();

  const again = await openJournal(folder, { keepFor: 1e12 });
  expect(again).toMatchObject({ recorded: 0, recordedAt: 1_003 });
  expect(again.next(9)).toMatchObject({ journal: older.id, crossings: [{ sequence: 2 }, { sequence: 3 }] });
  await again.close();
});

test('delivers crossings without an instant when their boot has one, with the same instant after a restart', async () => {
  const folder = await temporaryFolder();
  const undated = { direction: -1, at: 5, moment: monotonicMs(3), isDated: false } as const;
  const journal = await openJournal(folder, { boot: 'a' });
  journal.append([undated]);
  expect(journal.next(1)).toBeUndefined();
  journal.determineInstants([{ boot: 'a', offset: 100, uncertainty: 2 }]);
  await journal.close();
  const again = await openJournal(folder, { boot: 'b' });
  again.determineInstants([{ boot: 'a', offset: 200, uncertainty: 0 }]);
  expect(again.next(1)?.crossings).toEqual([{ sequence: 1, direction: -1, at: 103, uncertainty: 2 }]);
  await again.close();
});

test('sends no instant before it is durable, and never another one', async () => {
  const { disk, beforeUse } = faultyDisk('sync');
  const journal = await temporaryJournal({ boot: 'a', beforeUse });
  journal.append([{ direction: -1, at: 5, moment: monotonicMs(3), isDated: false }]);
  disk.code = 'EIO';
  const determine = (offset: number) => journal.determineInstants([{ boot: 'a', offset, uncertainty: 0 }]);

  expect(() => determine(100)).toThrow('injected');
  expect(journal.next(1)).toBeUndefined();
  expect(() => determine(200)).toThrow('injected');
  disk.code = undefined;
  determine(300);

  expect(journal).toMatchObject({ hasUndated: false, recordedAt: 103 });
  expect(journal.next(1)?.crossings).toMatchObject([{ at: 103 }]);
});

/** The file of a journal with so many crossings. */
async function journalFile(count: number): Promise<Buffer> {
  const folder = await temporaryFolder();
  const journal = await openJournal(folder);
  journal.append(people(count));
  await journal.close();
  return readFile(join(folder, fileName));
}

const fraction = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const damage = fc.oneof(
  fc.record({ does: fc.constant('flip' as const), at: fraction, bit: fc.integer({ min: 0, max: 7 }) }),
  fc.record({ does: fc.constant('fill' as const), at: fraction, bit: fc.integer({ min: 0, max: 255 }) }),
  fc.record({ does: fc.constant('cut' as const), at: fraction, bit: fc.constant(0) }),
);

test('starts with any damage, delivers what can be read, declares the rest lost, and invents nothing', async () => {
  const count = 400;
  const whole = await journalFile(count);
  await fc.assert(
    fc.asyncProperty(damage, async ({ does, at, bit }) => {
      const folder = await temporaryFolder();
      const place = Math.floor(at * whole.length);
      const damaged = Buffer.from(does === 'cut' ? whole.subarray(0, place) : whole);
      if (does === 'flip') damaged.writeUInt8(damaged.readUInt8(place) ^ (1 << bit), place);
      if (does === 'fill') damaged.fill(bit, place, Math.min(place + 700, damaged.length));
      await writeFile(join(folder, fileName), damaged);

      const journal = await openJournal(folder);
      journal.append([{ at: 1, direction: -1 }]);

      const delivered = [...deliverAll(journal).values()].flat();
      const lost = journal.lost.reduce((sum, [, first, last]) => sum + last - first + 1, 0);
      expect(journal).toMatchObject({ pending: 0, storageProblem: undefined });
      /* Without the two rows that name the journal, nothing of it can be declared. */
      expect([1, count + 1]).toContain(delivered.length + lost);
      await journal.close();
    }),
    { numRuns: 25 },
  );
});

test('uses no sequence again, and sends nothing under another one, whatever has changed in a killed process’s database', async () => {
  const [folder, count] = [await temporaryFolder(), 300];
  const open = await openJournal(folder);
  for (let one = 1; one <= count; one += 1) open.append(people(1, one));
  const database = await readFile(join(folder, fileName));
  const log = await readFile(join(folder, `${fileName}-wal`));
  await open.close();
  const place = fc.integer({ min: 0, max: database.length - 1 });
  const blockAt = (at: number) => at - (at % pageSize);
  const killed = fc.record({ does: fc.constantFrom('flip', 'swap', 'copy'), at: place, other: place });
  await fc.assert(
    fc.asyncProperty(killed, async ({ does, at, other }) => {
      const later = await temporaryFolder();
      const damaged = Buffer.from(database);
      if (does === 'flip') damaged.writeUInt8(damaged.readUInt8(at) ^ (1 << (other % 8)), at);
      else database.copy(damaged, blockAt(at), blockAt(other), blockAt(other) + pageSize);
      if (does === 'swap') database.copy(damaged, blockAt(other), blockAt(at), blockAt(at) + pageSize);
      await writeFile(join(later, fileName), damaged);
      await writeFile(join(later, `${fileName}-wal`), log);

      const journal = await openJournal(later);
      journal.append([{ at: 1, direction: -1 }]);

      const delivered = deliverAll(journal).get(open.id) ?? [];
      const isLost = (sequence: number) =>
        journal.lost.some(([name, first, last]) => name === open.id && first <= sequence && sequence <= last);
      const accounted = new Set(delivered);
      for (let sequence = 1; sequence < (delivered.at(-1) ?? 0); sequence += 1)
        expect(accounted.has(sequence) || isLost(sequence)).toBe(true);
      if (journal.id === open.id) expect(journal.recorded).toBe(count + 1);
      await journal.close();
    }),
    { numRuns: 40 },
  );
});

test('delivers the same crossings after a byte of the name of any column has changed', async () => {
  const folder = await temporaryFolder();
  const journal = await openJournal(folder);
  journal.append(
    [1, -1, -1].map((direction, index) => ({ at: 1_000 + index, direction: direction as 1 | -1 })),
  );
  const expected = journal.next(10);
  await journal.close();
  const path = join(folder, fileName);
  const intact = await readFile(path);
  for (const column of [
    'name text',
    'acknowledged integer',
    'lost text',
    'boot text',
    'at integer',
    'direction integer',
  ]) {
    const changed = Buffer.from(intact);
    changed[changed.indexOf(column)] = 'x'.charCodeAt(0);
    await writeFile(path, changed);
    const later = await openJournal(folder);
    expect(later.next(10)).toEqual(expected);
    await later.close();
  }
});

test('repairs a journal whose header says that it cannot be written', async () => {
  const folder = await temporaryFolder();
  const damaged = await journalFile(3);
  /* The file format write version, which SQLite knows up to 2. */
  damaged[18] = 3;
  await writeFile(join(folder, fileName), damaged);

  const journal = await openJournal(folder);

  expect(journal).toMatchObject({ storageProblem: undefined, pending: 3, lost: [] });
  await journal.close();
});

test('has every crossing that was reported as durable after it was killed', async () => {
  const folder = await temporaryFolder();
  const program = fileURLToPath(new URL('../../test/append-until-killed.ts', import.meta.url));
  let durable = 0;
  for (let kill = 0; kill < 2; kill += 1) {
    const child = fork(program, [folder], { silent: true });
    const ended = new Promise((resolve) => child.once('close', resolve));
    const goal = durable + 60;
    child.stdout?.on('data', (data: Buffer) => {
      durable = Number(data.toString().trim().split('\n').at(-1));
      if (durable >= goal) child.kill('SIGKILL');
    });
    await ended;
    const journal = await openJournal(folder);
    expect(journal.recorded).toBeGreaterThanOrEqual(durable);
    expect(crossingsOf(journal)).toHaveLength(journal.recorded);
    await journal.close();
  }
});
