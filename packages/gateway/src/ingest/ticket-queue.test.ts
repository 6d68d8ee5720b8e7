import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Ticket, TicketQueue } from './ticket-queue.ts';

function ticket(deviceId: number, crossings: number, arrivedAt: number): Ticket {
  const batch = {
    journal: 'j',
    crossings: Array.from({ length: crossings }, (_, n) => ({
      sequence: n + 1,
      at: 0,
      direction: 1 as const,
    })),
  };
  const message = { deviceId, topic: 't', rejections: [], batch };
  return { message, holder: { heldBytes: 0 }, bytes: 0, arrivedAt, settle: () => {} };
}

test('gives every ticket once, those of a device in order, and no more rows than asked for', () => {
  const sizes = fc.array(fc.tuple(fc.nat(5), fc.constantFrom(0, 1, 100, 1_000)), { maxLength: 60 });
  fc.assert(
    fc.property(sizes, fc.constantFrom(1, 150, 2_000), (wanted, maxRows) => {
      const queue = new TicketQueue();
      const tickets = wanted.map(([device, crossings], index) => ticket(device, crossings, index));
      for (const one of tickets) queue.push(one);
      const all: Ticket[] = [];
      while (queue.length > 0) {
        const taken = queue.take(maxRows);
        const rows = taken.reduce(
          (sum, { message }) => sum + Math.max(1, message.batch?.crossings.length ?? 0),
          0,
        );

        expect(taken.length === 1 || rows <= maxRows).toBe(true);
        all.push(...taken);
      }
      const byDevice = (of: readonly Ticket[]) => Map.groupBy(of, ({ message }) => message.deviceId);
      expect(all).toHaveLength(tickets.length);
      expect(new Map([...byDevice(all)].sort())).toEqual(new Map([...byDevice(tickets)].sort()));
    }),
  );
});

test('takes what a device counts now in the next transaction but one, however much others bring from before', () => {
  const queue = new TicketQueue();
  for (let index = 0; index < 6_400; index += 1) queue.push(ticket(index % 100, 100, index));
  queue.take(2_000);
  queue.push(ticket(99, 100, 9_000));
  queue.push(ticket(100, 1, 9_000));

  const taken = [...queue.take(10_000), ...queue.take(10_000)];

  expect(taken.map(({ message }) => message.deviceId)).toContain(100);
  expect(taken.some(({ message, arrivedAt }) => message.deviceId === 99 && arrivedAt === 9_000)).toBe(false);
});
