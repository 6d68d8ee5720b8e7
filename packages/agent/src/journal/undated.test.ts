import { expect, test } from 'vitest';
import { type MemoryFiles, memoryFileSystem } from '../../test/memory-file-system.ts';
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

test('never changes the stored time of a boot, also after a restart', async () => {
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

test('reads the same instants with one damaged file of clocks', async () => {
  for (const name of ['/clocks.json', '/clocks.copy.json']) {
    const contents: MemoryFiles = new Map();
    const journal = await open(contents, boots[0]);
    await journal.append(undated(1_000));
    await journal.storeBootTimes([{ boot: boots[0], offset: right, uncertainty: 0 }]);
    await journal.close();
    const bytes = contents.get(name) ?? Buffer.alloc(0);
    bytes[bytes.indexOf('offset') + 10] = 0x37;
    const again = await open(contents, boots[1]);
    expect(await instants(again)).toEqual([right + 1_000]);
    await again.close();
  }
});
