import type { NumberedCrossing } from '@visitor-counter/domain/crossing';
import { createLogger } from '@visitor-counter/service/logger';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { LostRange } from '../journal/lost-ranges.ts';
import { JournalDelivery } from './journal-delivery.ts';
import { defaultUplinkSettings, type UplinkSettings } from './uplink-settings.ts';

test('frees the journal on a commit after the end, and leaves no timer', async () => {
  vi.useFakeTimers();
  const acknowledged: number[] = [];
  const sent: number[] = [];
  const delivery = new JournalDelivery({
    settings: { ...defaultUplinkSettings, acknowledgement: 'committed' },
    journal: {
      id: 'j',
      acknowledged: 0,
      acknowledgedAt: 0,
      lostAt: () => undefined,
      read: async (from) => [{ sequence: from, at: from, direction: 1, uncertainty: 0 }],
      acknowledge: (through) => acknowledged.push(through),
    },
    publish: async (_journal, batch) => void sent.push(batch.length),
    log: createLogger('test', {}, { write: (line) => expect.unreachable(line) }),
    onError: (error) => expect.unreachable(String(error)),
  });
  delivery.start();
  await expect.poll(() => sent).toEqual([1]);
  expect(vi.getTimerCount()).toBe(1);

  delivery.committed({ journal: 'another', through: 1 });
  expect(acknowledged).toEqual([]);

  delivery.stop();
  delivery.committed({ journal: 'j', through: 1 });

  expect(acknowledged).toEqual([1]);
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

/** A delivery of crossings that the test reads, each in a message of its own. */
function deliveryOf(acknowledgement: UplinkSettings['acknowledgement']) {
  const sent: unknown[] = [];
  const reads: { readonly from: number; readonly isRead: () => void }[] = [];
  const journal = {
    id: 'j',
    lost: undefined as LostRange | undefined,
    acknowledged: 0,
    acknowledgedAt: 0,
    lostAt: (sequence: number) => (sequence === 1 ? journal.lost : undefined),
    read: (from: number) =>
      new Promise<NumberedCrossing[]>((resolve) => {
        const isRead = () => resolve([{ sequence: from, at: from, direction: 1, uncertainty: 0 }]);
        reads.push({ from, isRead });
      }),
    acknowledge: (through: number) => {
      journal.acknowledged = through;
    },
  };
  const delivery = new JournalDelivery({
    settings: { ...defaultUplinkSettings, acknowledgement },
    journal,
    publish: async (id, batch) => void sent.push([id, batch[0]?.sequence]),
    log: createLogger('test', {}, { write: () => {} }),
    onError: (error) => expect.unreachable(String(error)),
  });
  delivery.start();
  return { journal, delivery, sent, reads };
}

type Delivery = ReturnType<typeof deliveryOf>;

test.each<[string, (parts: Delivery) => void]>([
  [
    'whose journal ends',
    ({ journal, delivery }) => {
      journal.id = 'new';
      delivery.restart();
    },
  ],
  [
    'that are declared lost',
    ({ journal }) => {
      journal.lost = [1, 1];
    },
  ],
])('does not send crossings %s while it reads them', async (_, change) => {
  const parts = deliveryOf('puback');
  const { delivery, sent, reads } = parts;

  change(parts);
  reads[0]?.isRead();
  await expect.poll(() => reads).toHaveLength(2);

  expect(sent).toEqual([]);
  delivery.stop();
});

/** A delivery with an external broker, a function that ends its present read, and one that lets time pass. */
function committedDelivery() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const parts = deliveryOf('committed');
  onTestFinished(() => parts.delivery.stop());
  const readNext = async () => {
    parts.reads.at(-1)?.isRead();
    await vi.advanceTimersByTimeAsync(0);
  };
  const pass = (pauses: number) => vi.advanceTimersByTimeAsync(pauses * defaultUplinkSettings.commitWithin);
  return { ...parts, readNext, pass };
}

test('does not send crossings again that are committed while it reads them', async () => {
  const { delivery, sent, reads, readNext, pass } = committedDelivery();
  await readNext();
  await pass(1);

  delivery.committed({ journal: 'j', through: 1 });
  await readNext();

  expect(reads.map(({ from }) => from)).toEqual([1, 1, 2]);
  expect(sent).toEqual([['j', 1]]);
});

test('sends crossings again after growing pauses, up to four times the first, while nothing is committed', async () => {
  const { reads, readNext, pass } = committedDelivery();
  await readNext();
  for (const [index, pauses] of [1, 2, 4, 4].entries()) {
    await pass(pauses - 0.01);
    expect(reads).toHaveLength(index + 1);
    await pass(0.01);
    expect(reads).toHaveLength(index + 2);
    await readNext();
  }
});

test('waits for the first pause again after a commit, and sends again once when the gateway is available', async () => {
  const { delivery, reads, readNext, pass } = committedDelivery();
  await readNext();
  await pass(1);
  await readNext();
  delivery.committed({ journal: 'j', through: 1 });
  await readNext();
  await readNext();
  delivery.committed({ journal: 'j', through: 2 });
  await pass(1);
  await readNext();
  await readNext();
  expect(reads.map(({ from }) => from)).toEqual([1, 1, 2, 3, 4, 3]);

  delivery.committed({ journal: 'j', through: 2 });
  await readNext();
  delivery.committed({ journal: 'j', through: 2 });
  await readNext();
  expect(reads.slice(6).map(({ from }) => from)).toEqual([3]);
});

test('waits with one timer for an unreadable journal, however often it is woken', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { delivery, journal, reads } = deliveryOf('puback');
  journal.read = () => Promise.reject(new Error('EIO'));
  reads[0]?.isRead();
  for (let woken = 0; woken < 3; woken += 1) {
    delivery.wake();
    await vi.advanceTimersByTimeAsync(0);
  }
  expect(vi.getTimerCount()).toBe(1);
  delivery.stop();
});
