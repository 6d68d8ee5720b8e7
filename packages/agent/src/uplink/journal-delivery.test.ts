import { createLogger } from '@visitor-counter/service/logger';
import { expect, test, vi } from 'vitest';
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
