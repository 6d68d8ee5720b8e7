import { expect, test } from 'vitest';
import { temporaryJournal } from '../../test/temporary-journal.ts';
import { monotonicMs } from '../clock/time.ts';
import { deliverJournal } from './deliver-journal.ts';

/** A journal of another unit, the messages that are sent from it, and the printed lines. */
async function oldJournal() {
  const journal = await temporaryJournal();
  const sent: string[] = [];
  const said: string[] = [];
  const way = {
    send: async (message: string) => sent.push(message) > 0,
    report: async () => true,
    bootTime: async () => undefined,
    close: async () => {},
  };
  const deliver = () =>
    deliverJournal({ journal, way, say: (text) => void said.push(text) }, new AbortController().signal);
  return { journal, sent, said, deliver };
}

test('does not count crossings without a time as delivered', async () => {
  const { journal, sent, said, deliver } = await oldJournal();
  await journal.append([{ at: 1_000, direction: 1 }]);
  await journal.append([{ at: 2_000, direction: 1, moment: monotonicMs(5), isDated: false }]);

  expect(await deliver()).toBe(false);

  expect(sent).toEqual([expect.stringContaining('"first":1,"crossings":[[1000,1]]')]);
  expect(journal.acknowledged).toBe(1);
  expect(said.at(-1)).toMatch(/^1 crossings have no time yet/);
});
