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
    log: createLogger('test', {}, { write: (line) => expect.unreachable(line) }),
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

test('does not send crossings again that are committed while it reads them', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { delivery, sent, reads } = deliveryOf('committed');
  reads[0]?.isRead();
  await vi.advanceTimersByTimeAsync(defaultUplinkSettings.commitWithin);

  delivery.committed({ journal: 'j', through: 1 });
  reads[1]?.isRead();
  await vi.waitFor(() => expect(reads).toHaveLength(3));

  expect(reads.map(({ from }) => from)).toEqual([1, 1, 2]);
  expect(sent).toEqual([['j', 1]]);
  delivery.stop();
});
