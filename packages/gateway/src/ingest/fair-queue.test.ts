import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FairQueue, type PendingMessage } from './fair-queue.ts';

function pending(deviceId: number, crossings: number, arrivedAt: number): PendingMessage {
  const batch = {
    journal: 'j',
    crossings: Array.from({ length: crossings }, (_, n) => ({
      sequence: n + 1,
      at: 0,
      direction: 1 as const,
    })),
  };
  const message = { deviceId, topic: 't', rejections: [], batch };
  return { message, bytes: 0, arrivedAt, report: () => {} };
}

test('returns every message once, those of a device in order, and at most the given rows, whatever is requeued', () => {
  const sizes = fc.array(fc.tuple(fc.nat(5), fc.constantFrom(0, 1, 100, 1_000)), { maxLength: 60 });
  const takes = fc.infiniteStream(
    fc.record({ maxRows: fc.constantFrom(1, 150, 2_000, 1e6), fails: fc.boolean() }),
  );
  fc.assert(
    fc.property(sizes, sizes, takes, (begun, later, rounds) => {
      const queue = new FairQueue();
      const messages = [...begun, ...later].map(([device, crossings], index) =>
        pending(device, crossings, index),
      );
      for (const one of messages.slice(0, begun.length)) queue.push(one);
      const stored: PendingMessage[] = [];
      for (const { maxRows, fails } of rounds) {
        const isPending = queue.length > 0;
        const taken = queue.take(maxRows);
        if (stored.length === 0) for (const one of messages.splice(begun.length)) queue.push(one);
        const rows = taken.reduce(
          (sum, one) => sum + Math.max(1, one.message.batch?.crossings.length ?? 0),
          0,
        );
        expect(taken.length <= 1 || rows <= maxRows).toBe(true);
        expect(taken.length > 0).toBe(isPending);
        if (fails) queue.requeue(taken);
        else stored.push(...taken);
        if (queue.length === 0) break;
      }
      const byDevice = (of: readonly PendingMessage[]) => Map.groupBy(of, ({ message }) => message.deviceId);
      for (const own of byDevice(stored).values()) {
        const arrived = own.map(({ arrivedAt }) => arrivedAt);
        expect(arrived).toEqual(arrived.toSorted((a, b) => a - b));
      }
      expect(new Set(stored).size).toBe(begun.length + later.length);
    }),
  );
});

test('returns requeued messages before later ones', () => {
  const queue = new FairQueue();
  for (let index = 0; index < 60; index += 1) queue.push(pending(1, 100, index));
  queue.take(2_000);
  const failed = queue.take(10_000);
  queue.requeue(failed);
  for (let index = 0; index < 60; index += 1) queue.push(pending(2, 100, 100 + index));

  expect(queue.take(2_000)).toContain(failed[0]);
});

test('returns the current crossings of a device within two transactions, however many messages of others are pending', () => {
  const queue = new FairQueue();
  for (let index = 0; index < 6_400; index += 1) queue.push(pending(index % 100, 100, index));
  queue.take(2_000);
  queue.push(pending(99, 100, 9_000));
  queue.push(pending(100, 1, 9_000));

  const taken = [...queue.take(10_000), ...queue.take(10_000)];

  expect(taken.map(({ message }) => message.deviceId)).toContain(100);
  expect(taken.some(({ message, arrivedAt }) => message.deviceId === 99 && arrivedAt === 9_000)).toBe(false);
});
