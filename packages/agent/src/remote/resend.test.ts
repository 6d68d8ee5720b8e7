import type { NumberedCrossing } from '@visitor-counter/domain/crossing';
import { expect, test } from 'vitest';
import { memoryFileSystem } from '../../test/memory-file-system.ts';
import { openJournal } from '../journal/open-journal.ts';
import { type ResendPart, type ResendScope, readForResend } from './resend.ts';

const never = new AbortController().signal;

async function all(parts: AsyncIterable<ResendPart>) {
  const crossings: number[] = [];
  const missing: number[][] = [];
  for await (const part of parts) {
    crossings.push(...part.crossings.map(({ sequence }) => sequence));
    missing.push(...part.missing);
  }
  return { crossings, missing };
}

async function journalOfTwelve() {
  const journal = await openJournal('/', { files: memoryFileSystem(new Map()), recordsPerSegment: 4 });
  await journal.append(Array.from({ length: 12 }, (_, index) => ({ at: index + 1, direction: 1 })));
  return journal;
}

/** Only some sequences can be read; sequence n is at the instant 10 n. */
function journalOf(sequences: readonly number[]) {
  const crossings = sequences.map(
    (sequence): NumberedCrossing => ({ sequence, at: sequence * 10, direction: 1, uncertainty: 0 }),
  );
  return {
    readNow: async (from: number, max: number) => {
      const read = crossings.filter(({ sequence }) => sequence >= from);
      const first = read[0]?.sequence ?? 0;
      return read.filter(({ sequence }, index) => sequence === first + index).slice(0, max);
    },
  };
}

test('reads a range of sequences, and of these a range of instants', async () => {
  const journal = await journalOfTwelve();
  const scopes: [ResendScope, number[]][] = [
    [{ next: 3, last: 9 }, [3, 4, 5, 6, 7, 8, 9]],
    [{ next: 1, last: 9, from: 5, until: 7 }, [5, 6, 7]],
    [{ next: 5, last: 4 }, []],
    [{ next: 1, last: 12, from: 50, until: 60 }, []],
  ];
  for (const [scope, crossings] of scopes)
    expect(await all(readForResend(journal, scope, 3, never))).toEqual({ crossings, missing: [] });
  await journal.close();
});

test('reports each range of sequences that the journal no longer has', async () => {
  const journal = journalOf([4, 5, 6, 9, 10]);
  expect(await all(readForResend(journal, { next: 1, last: 12 }, 2, never))).toEqual({
    crossings: [4, 5, 6, 9, 10],
    missing: [
      [1, 3],
      [7, 8],
      [11, 12],
    ],
  });
  /* Between instants that are both before the range, or both after it, nothing of the range can be missing. */
  expect(await all(readForResend(journal, { next: 1, last: 10, from: 95, until: 200 }, 2, never))).toEqual({
    crossings: [10],
    missing: [],
  });
  expect(
    (await all(readForResend(journal, { next: 1, last: 10, from: 0, until: 50 }, 2, never))).missing,
  ).toEqual([[1, 3]]);
});
