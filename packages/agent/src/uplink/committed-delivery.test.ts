import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CommittedDelivery } from './committed-delivery.ts';

const none = { through: 0, at: 0 };

test('one message is in flight until something is committed, then as many as the window holds', () => {
  const delivery = new CommittedDelivery(none, 3);
  delivery.sent({ first: 1, through: 10, at: 1 });
  expect(delivery.hasRoom).toBe(false);
  expect(delivery.committed(9)).toBeUndefined();
  expect(delivery.committed(10)).toEqual({ through: 10, at: 1 });
  for (const through of [20, 30, 40]) {
    expect(delivery.hasRoom).toBe(true);
    delivery.sent({ first: through - 9, through, at: 2 });
  }
  expect(delivery.hasRoom).toBe(false);
  delivery.sendAgain({ through: 10, at: 1 });
  expect(delivery.next).toBe(11);
  expect(delivery.hasRoom).toBe(true);
  delivery.sent({ first: 11, through: 20, at: 2 });
  expect(delivery.hasRoom).toBe(false);
  expect(delivery.committed(35)).toEqual({ through: 30, at: 2 });
  expect(delivery.next).toBe(31);
});

test('whatever gets lost, nothing is freed that was not committed, and in the end all of it is', () => {
  const events = fc.array(fc.record({ size: fc.integer({ min: 1, max: 5 }), arrives: fc.boolean() }), {
    maxLength: 60,
  });
  fc.assert(
    fc.property(events, (steps) => {
      const total = 40;
      const delivery = new CommittedDelivery(none, 4);
      const stored = new Set<number>();
      let through = 0;
      let freed = 0;
      const step = (size: number, arrives: boolean) => {
        if (delivery.hasRoom && delivery.next <= total) {
          const first = delivery.next;
          const last = Math.min(total, first + size - 1);
          delivery.sent({ first, through: last, at: last });
          for (let sequence = first; arrives && sequence <= last; sequence += 1) stored.add(sequence);
        } else if (delivery.isPending) delivery.sendAgain({ through: freed, at: freed });
        while (stored.has(through + 1)) through += 1;
        const newest = arrives ? delivery.committed(through) : undefined;
        if (newest) {
          expect(newest.through).toBeGreaterThan(freed);
          expect(newest.through).toBeLessThanOrEqual(through);
          freed = newest.through;
        }
      };
      for (const { size, arrives } of steps) step(size, arrives);
      for (let turn = 0; turn < 200; turn += 1) step(3, true);
      expect(freed).toBe(total);
    }),
  );
});

test('sequences that are declared lost take no place in the window, and are freed when they are committed', () => {
  const delivery = new CommittedDelivery({ through: 4, at: 4 }, 3);
  delivery.lost(10);
  expect(delivery).toMatchObject({ next: 11, hasRoom: true, isPending: true });
  expect(() => delivery.sent({ first: 12, through: 20, at: 20 })).toThrow('do not follow 10');
  delivery.sent({ first: 11, through: 20, at: 20 });
  expect(delivery.hasRoom).toBe(false);
  expect(delivery.committed(9)).toBeUndefined();
  expect(delivery.committed(10)).toEqual({ through: 10, at: 4 });
  expect(delivery.committed(20)).toEqual({ through: 20, at: 20 });
});
