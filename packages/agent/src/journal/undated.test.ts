import { expect, test } from 'vitest';
import { type MemoryFiles, memoryFileSystem } from '../../test/memory-file-system.ts';
import { withReadFaults } from '../../test/read-faults.ts';
import { monotonicMs } from '../clock/time.ts';
import type { Journal } from './journal.ts';
import { openJournal } from './open-journal.ts';
import type { NewCrossing } from './segment-format.ts';

const boots = ['11111111-0000-4000-8000-000000000000', '22222222-0000-4000-8000-000000000000'] as const;
const wrong = Date.UTC(2025, 0, 1);
const right = Date.UTC(2026, 10, 21);

const open = (contents: MemoryFiles, boot: string) =>
  openJournal('/', { files: memoryFileSystem(contents), recordsPerSegment: 4, boot });

/** Crossings at these moments (ms) of a boot whose clock was never set. */
const undated = (...moments: number[]): NewCrossing[] =>
  moments.map((moment) => ({
    at: wrong + moment,
    direction: 1,
    moment: monotonicMs(moment),
    isDated: false,
  }));

async function instants(journal: Journal): Promise<number[]> {
  const all: number[] = [];
  for (let next = 1; ; ) {
    const run = await journal.read(next, 3);
    const last = run.at(-1);
    if (!last) return all;
    all.push(...run.map(({ at }) => at));
    next = last.sequence + 1;
  }
}

test('stores a crossing without a known instant, which delays all later ones', async () => {
  const journal = await open(new Map(), boots[0]);
  await journal.append([{ at: right, direction: 1 }]);
  await journal.append(undated(1_000, 2_000));
  await journal.append([{ at: right + 9_000, direction: -1 }]);
  expect(journal.recorded).toBe(4);
  expect(await instants(journal)).toEqual([right]);
  expect(journal.undatedBoots).toEqual([{ boot: boots[0], claimed: wrong, last: 2_000, after: right }]);
  await journal.storeBootTimes([{ boot: boots[0], offset: right + 5_000, uncertainty: 0 }]);
  expect(await instants(journal)).toEqual([right, right + 6_000, right + 7_000, right + 9_000]);
  await journal.close();
});

test('never changes the stored time of a boot, not even after a restart', async () => {
  const contents: MemoryFiles = new Map();
  const journal = await open(contents, boots[0]);
  await journal.append(undated(1_000));
  await journal.storeBootTimes([{ boot: boots[0], offset: right, uncertainty: 7 }]);
  await journal.storeBootTimes([{ boot: boots[0], offset: right + 1, uncertainty: 0 }]);
  await journal.append(undated(2_000));
  await journal.close();
  const again = await open(contents, boots[1]);
  await again.storeBootTimes([{ boot: boots[0], offset: right + 2, uncertainty: 0 }]);
  expect(await again.read(1, 5)).toEqual([
    { sequence: 1, at: right + 1_000, direction: 1, uncertainty: 7 },
    { sequence: 2, at: right + 2_000, direction: 1, uncertainty: 7 },
  ]);
  await again.close();
});

test('finds the boots with unknown times after a restart, in order, with the latest instant before each', async () => {
  const contents: MemoryFiles = new Map();
  const first = await open(contents, boots[0]);
  await first.append([{ at: right, direction: 1 }]);
  await first.append(undated(1_000, 2_000, 3_000, 4_000, 5_000));
  await first.close();
  const second = await open(contents, boots[1]);
  await second.append(undated(700));
  await second.close();
  const third = await open(contents, boots[1]);
  expect(third.undatedBoots).toEqual([
    { boot: boots[0], claimed: wrong, last: 5_000, after: right },
    { boot: boots[1], claimed: wrong, last: 700, after: right },
  ]);
  await third.close();
});

test('bounds a boot by the crossings of an earlier one whose time is stored', async () => {
  const contents: MemoryFiles = new Map();
  const first = await open(contents, boots[0]);
  await first.append(undated(1_000));
  await first.storeBootTimes([{ boot: boots[0], offset: right, uncertainty: 7 }]);
  await first.close();
  const second = await open(contents, boots[1]);
  await second.append(undated(700));
  expect(second.undatedBoots).toMatchObject([{ boot: boots[1], after: right + 1_000 - 7 }]);
  await second.close();
});

test('forgets the time of a boot of which it has no crossings', async () => {
  const contents: MemoryFiles = new Map();
  for (const boot of boots) {
    const journal = await open(contents, boot);
    await journal.append(undated(1_000));
    await journal.storeBootTimes([{ boot, offset: right, uncertainty: 0 }]);
    journal.acknowledge(journal.recorded, right);
    await journal.close();
  }
  const last = await open(contents, boots[1]);
  await last.append(undated(2_000));
  await last.storeBootTimes([{ boot: 'another', offset: 0, uncertainty: 0 }]);
  expect(contents.get('/clocks.json')?.toString()).not.toContain(boots[0]);
  await last.close();
});

test('has no boot to date after all its crossings were declared lost and their journal has ended', async () => {
  const contents: MemoryFiles = new Map();
  const first = await open(contents, boots[0]);
  await first.append(undated(1_000, 2_000, 3_000, 4_000));
  await first.close();
  const card = { isBad: false };
  const files = withReadFaults(memoryFileSystem(contents), ({ operation, path }) =>
    card.isBad && operation === 'read' && path === '/0000000000000001.journal' ? { code: 'EIO' } : undefined,
  );
  const journal = await openJournal('/', { files, recordsPerSegment: 4, boot: boots[1], rereadFor: 0 });
  await journal.append([{ at: right, direction: 1 }]);
  card.isBad = true;
  expect(await journal.read(1, 10)).toMatchObject([{ sequence: 5 }]);
  journal.acknowledge(5, right);
  await journal.beginNew(journal.id, new AbortController().signal);
  await journal.storeBootTimes([{ boot: boots[0], offset: right, uncertainty: 0 }]);
  expect(journal.undatedBoots).toEqual([]);
  await journal.close();
});

/** Changes a digit of a stored time. */
function damage(contents: MemoryFiles, name: string): void {
  const bytes = contents.get(name) ?? Buffer.alloc(0);
  const digit = bytes.indexOf('offset') + 10;
  bytes[digit] = bytes[digit] === 0x37 ? 0x38 : 0x37;
}

test('reads the same instants with one damaged file of clocks, and writes it again from the other one', async () => {
  const names = ['/clocks.json', '/clocks.copy.json'];
  const contents: MemoryFiles = new Map();
  const journal = await open(contents, boots[0]);
  await journal.append(undated(1_000));
  await journal.storeBootTimes([{ boot: boots[0], offset: right, uncertainty: 0 }]);
  await journal.close();
  for (const name of names) {
    damage(contents, name);
    const again = await open(contents, boots[1]);
    expect(again.damagedClocks).toEqual([name.slice(1)]);
    expect(await instants(again)).toEqual([right + 1_000]);
    await again.close();
  }
});

test.each(['/clocks.json', '/clocks.copy.json'])(
  'reads the same instants with an old copy of %s',
  async (name) => {
    const contents: MemoryFiles = new Map();
    const first = await open(contents, boots[0]);
    await first.append(undated(1_000));
    await first.storeBootTimes([{ boot: boots[0], offset: right, uncertainty: 0 }]);
    await first.close();
    const old = contents.get(name) ?? Buffer.alloc(0);
    const second = await open(contents, boots[1]);
    await second.append(undated(500));
    await second.storeBootTimes([{ boot: boots[1], offset: right + 10_000, uncertainty: 0 }]);
    await second.close();
    contents.set(name, old);

    for (const _ of ['reads both files', 'reads what the start before has written']) {
      const again = await open(contents, boots[1]);
      expect(await instants(again)).toEqual([right + 1_000, right + 10_500]);
      await again.close();
    }
  },
);

test.each(['damaged', 'unreadable'])(
  'determines instants again if both files of clocks are %s, and stores new crossings meanwhile',
  async (how) => {
    const contents: MemoryFiles = new Map();
    const journal = await open(contents, boots[0]);
    await journal.append([...undated(1_000), { at: right + 9_000, direction: -1 }]);
    await journal.storeBootTimes([{ boot: boots[0], offset: right, uncertainty: 7 }]);
    journal.acknowledge(1, right + 1_000);
    await journal.close();
    if (how === 'damaged') for (const name of ['/clocks.json', '/clocks.copy.json']) damage(contents, name);
    const files = withReadFaults(memoryFileSystem(contents), ({ path }) =>
      how === 'unreadable' && path.startsWith('/clocks') ? { code: 'EIO' } : undefined,
    );

    const again = await openJournal('/', { files, boot: boots[1], rereadFor: 50, recheckFor: 50 });

    expect(again.damagedClocks).toHaveLength(2);
    expect(again.undatedBoots).toMatchObject([{ boot: boots[0] }]);
    await again.append([...undated(500), { at: right + 20_000, direction: 1 }]);
    expect(await again.read(2, 1)).toMatchObject([{ sequence: 2, at: right + 9_000 }]);
    /* Nothing is sent again, or reported as missing, without its instant. */
    expect(await again.read(1, 1)).toEqual([]);
    await expect(again.readNow(1, 1)).rejects.toThrow('no instant yet');
    const estimated = [
      { boot: boots[0], offset: right - 50, uncertainty: 60 },
      { boot: boots[1], offset: right + 10_000, uncertainty: 0 },
    ];
    await again.storeBootTimes(estimated);
    const expected = [right + 950, right + 9_000, right + 10_500, right + 20_000];
    expect(await instants(again)).toEqual(expected);
    await again.close();
    const last = await open(contents, boots[1]);
    expect(last.damagedClocks).toEqual([]);
    expect(await instants(last)).toEqual(expected);
    await last.close();
  },
);
