import { expect, test } from 'vitest';
import { openJournal } from '../journal/journal.ts';
import { memoryFileSystem } from '../journal/testing/memory-file-system.ts';
import { resend } from './resend.ts';

test('sends again what is acknowledged of a stretch, in runs, and nothing else', async () => {
  const journal = await openJournal('/', { files: memoryFileSystem(new Map()), recordsPerSegment: 4 });
  await journal.append(Array.from({ length: 12 }, (_, index) => ({ at: index + 1, direction: 1 })));
  journal.acknowledge(9, 9);
  const sent: number[][] = [];
  await resend(journal, { from: 3, until: 20 }, 3, async (run) => {
    sent.push(run.map(({ sequence }) => sequence));
  });
  expect(sent.flat()).toEqual([3, 4, 5, 6, 7, 8, 9]);
  await resend(journal, { from: 50, until: 60 }, 3, () => Promise.reject(new Error('nothing to send')));
  await journal.close();
});
