import { expect, test } from 'vitest';
import { memoryFileSystem } from '../../test/memory-file-system.ts';
import { monotonicMs } from '../clock/time.ts';
import { openJournal } from '../journal/open-journal.ts';
import { deliverJournal } from './deliver-journal.ts';

test('does not count crossings without a time as delivered', async () => {
  const journal = await openJournal('/', { files: memoryFileSystem(new Map()) });
  await journal.append([{ at: 1_000, direction: 1 }]);
  await journal.append([{ at: 2_000, direction: 1, moment: monotonicMs(5), isDated: false }]);
  const sent: string[] = [];
  const said: string[] = [];
  const way = {
    send: async (message: string) => sent.push(message) > 0,
    report: async () => true,
    bootTime: async () => undefined,
    close: async () => {},
  };
  const old = { journal, way, isFinal: true, say: (text: string) => said.push(text) };

  expect(await deliverJournal(old, new AbortController().signal)).toBe(false);

  expect(sent).toEqual([expect.stringContaining('"first":1,"crossings":[[1000,1]]')]);
  expect(journal.acknowledged).toBe(1);
  expect(said.at(-1)).toMatch(/^1 crossings have no time yet/);
  await journal.close();
});
