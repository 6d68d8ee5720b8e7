import type { NumberedCrossing } from '@visitor-counter/domain/crossing';
import { createLogger } from '@visitor-counter/service/logger';
import { expect, test, vi } from 'vitest';
import type { LostRange } from '../journal/lost-ranges.ts';
import { JournalDelivery } from './journal-delivery.ts';
import { defaultUplinkSettings } from './uplink-settings.ts';

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

test.each<
  [string, (journal: { id: string; lost: LostRange | undefined }, delivery: JournalDelivery) => void]
>([
  [
    'whose journal ends',
    (journal, delivery) => {
      journal.id = 'new';
      delivery.restart();
    },
  ],
  [
    'that are declared lost',
    (journal) => {
      journal.lost = [1, 1];
    },
  ],
])('does not send crossings %s while it reads them', async (_, change) => {
  const sent: unknown[] = [];
  const reads: ((found: NumberedCrossing[]) => void)[] = [];
  const journal = {
    id: 'old',
    lost: undefined as LostRange | undefined,
    acknowledged: 0,
    acknowledgedAt: 0,
    lostAt: (sequence: number) => (sequence === 1 ? journal.lost : undefined),
    read: () => new Promise<NumberedCrossing[]>((resolve) => reads.push(resolve)),
    acknowledge: () => {},
  };
  const delivery = new JournalDelivery({
    settings: defaultUplinkSettings,
    journal,
    publish: async (id, batch) => void sent.push([id, batch[0]?.sequence]),
    log: createLogger('test', {}, { write: (line) => expect.unreachable(line) }),
    onError: (error) => expect.unreachable(String(error)),
  });
  delivery.start();

  change(journal, delivery);
  reads[0]?.([{ sequence: 1, at: 1, direction: 1, uncertainty: 0 }]);
  await expect.poll(() => reads).toHaveLength(2);

  expect(sent).toEqual([]);
  delivery.stop();
});
