import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { NumberedCrossing } from '@visitor-counter/domain/crossing';
import { createLogger } from '@visitor-counter/service/logger';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { expect, onTestFinished, test, vi } from 'vitest';
import { temporaryJournal } from '../../test/temporary-journal.ts';
import { RemoteMemory } from './remote-memory.ts';
import { type ResendPart, type ResendScope, readForResend, runResend } from './resend.ts';

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
  const journal = await temporaryJournal();
  journal.append(Array.from({ length: 12 }, (_, index) => ({ at: index + 1, direction: 1 })));
  return journal;
}

/** Only some sequences can be read; sequence n is at the instant 10 n. */
function journalOf(sequences: readonly number[]) {
  const crossings = sequences.map(
    (sequence): NumberedCrossing => ({ sequence, at: sequence * 10, direction: 1, uncertainty: 0 }),
  );
  return {
    readNow: (from: number, max: number) => {
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

type Resend = Parameters<typeof runResend>[0];

/** Executes a resend, two crossings in a message, on a unit that has only some sequences up to 12. */
async function resend(known: Pick<Resend, 'order'> & Partial<Resend>, sequences = upTo(12), signal = never) {
  const command = { state: 'running', ...known } as const;
  const folder = await temporaryFolder();
  const remote = { revision: 0, settings: {}, commands: [command] };
  const log = createLogger('test', { LOG_LEVEL: 'silent' });
  const memory = new RemoteMemory(remote, folder, log);
  const sent: number[][] = [];
  const uplink = {
    untilConnected: async () => signal.throwIfAborted(),
    send: async (_channel: string, payload: string) => {
      const { first, crossings }: { first: number; crossings: unknown[] } = JSON.parse(payload);
      sent.push(crossings.map((_, index) => first + index));
      expect(await readFile(join(folder, 'remote.json'), 'utf8')).toContain('"range"');
      return true;
    },
    report: async () => true,
  };
  const journal = { id: 'present', recorded: 12, acknowledged: 12, ...journalOf(sequences) };
  const result = await runResend(command, { journal, memory, uplink, log, most: 2 }, signal);
  return { result, sent, known: memory.find(command.order.id) };
}

const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);
const order = (first: number, last: number, journal = 'present') =>
  ({ id: 5, command: 'resend', journal, first, last }) as const;

test('reports what it has sent and what is missing, stores where it continues, and leaves no timer', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());

  const { result, sent, known } = await resend({ order: order(3, 14) }, [5, 6, 7, 9, 10, 11, 12]);

  expect(result).toEqual({ state: 'done' });
  expect(sent).toEqual([[5, 6], [7], [9, 10], [11, 12]]);
  expect(known).toMatchObject({
    sent: 7,
    total: 12,
    missing: [
      [3, 4],
      [8, 8],
      [13, 14],
    ],
    range: { journal: 'present', next: 13, last: 12 },
  });
  expect(vi.getTimerCount()).toBe(0);
});

test('sends no message without crossings', async () => {
  const { sent } = await resend({ order: { id: 5, command: 'resend', from: 70, until: 70 } });
  expect(sent).toEqual([[7]]);
});

test('reports as missing only requested sequences that were never recorded', async () => {
  const { known } = await resend({ order: order(14, 15) });
  expect(known).toMatchObject({ sent: 0, total: 2, missing: [[14, 15]] });
});

test('says how many ranges of missing sequences are not in its report', async () => {
  const even = upTo(40).filter((sequence) => sequence % 2 === 0);
  const range = { journal: 'present', next: 1, last: 40 };
  const { result } = await resend({ order: order(1, 40), range }, even);
  expect(result).toEqual({ state: 'done', problem: '4 more ranges of sequences are missing' });
});

test('reports the rest of an interrupted resend as missing if the journal has ended meanwhile', async () => {
  const range = { journal: 'old', next: 7, last: 12 };
  const problem = 'the unit no longer uses the journal old';
  const progress = { sent: 5, total: 12, missing: [[2, 2]] satisfies [number, number][] };

  const bySequence = await resend({ order: order(1, 12, 'old'), ...progress, range });
  const byTime = await resend({
    order: { id: 5, command: 'resend', from: 0, until: 99 },
    ...progress,
    range,
  });

  expect(bySequence.result).toEqual({ state: 'done', problem });
  expect(bySequence.known?.missing).toEqual([
    [2, 2],
    [7, 12],
  ]);
  expect(byTime.result).toEqual({ state: 'failed', problem });
  expect([...bySequence.sent, ...byTime.sent]).toEqual([]);
});

test('ends without a result when it is stopped, also between crossings that are not sent', async () => {
  const stopping = new AbortController();
  let reads = 0;
  const journal = {
    readNow: (from: number, max: number) => {
      reads += 1;
      stopping.abort(new Error('stopped'));
      return journalOf(upTo(12)).readNow(from, max);
    },
  };
  const scope = { next: 1, last: 12, from: 500 };
  await expect(all(readForResend(journal, scope, 2, stopping.signal))).rejects.toThrow('stopped');
  expect(reads).toBe(1);
  await expect(resend({ order: order(1, 12) }, upTo(12), stopping.signal)).rejects.toThrow('stopped');
});

test('reads again what could not be read', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  let failures = 2;
  const journal = {
    readNow: (from: number, max: number) => {
      failures -= 1;
      if (failures >= 0) throw new Error('EIO');
      return journalOf(upTo(2)).readNow(from, max);
    },
  };
  const reading = all(readForResend(journal, { next: 1, last: 2 }, 2, never));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await reading).toEqual({ crossings: [1, 2], missing: [] });
});
