import type { NumberedCrossing } from '@visitor-counter/domain/crossing';
import { createLogger } from '@visitor-counter/service/logger';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { LostRange } from '../journal/lost-ranges.ts';
import { JournalDelivery } from './journal-delivery.ts';
import { defaultUplinkSettings } from './uplink-settings.ts';

/** A delivery of crossings that the test reads, each in a message of its own. */
function deliveryOf() {
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
    settings: defaultUplinkSettings,
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
  const parts = deliveryOf();
  const { delivery, sent, reads } = parts;

  change(parts);
  reads[0]?.isRead();
  await expect.poll(() => reads).toHaveLength(2);

  expect(sent).toEqual([]);
  delivery.stop();
});

test('waits with one timer for an unreadable journal, however often it is woken', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { delivery, journal, reads } = deliveryOf();
  journal.read = () => Promise.reject(new Error('EIO'));
  reads[0]?.isRead();
  for (let woken = 0; woken < 3; woken += 1) {
    delivery.wake();
    await vi.advanceTimersByTimeAsync(0);
  }
  expect(vi.getTimerCount()).toBe(1);
  delivery.stop();
});
