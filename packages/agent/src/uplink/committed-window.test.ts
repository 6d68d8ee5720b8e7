import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CommittedWindow } from './committed-window.ts';

const none = { through: 0, at: 0 };

test('allows one message in flight until something is committed, then as many as the window has room for', () => {
  const window = new CommittedWindow(none, 3);
  window.addSent({ first: 1, through: 10, at: 1 });
  expect(window.hasRoom).toBe(false);
  expect(window.commit(9)).toBeUndefined();
  expect(window.commit(10)).toEqual({ through: 10, at: 1 });
  for (const through of [20, 30, 40]) {
    expect(window.hasRoom).toBe(true);
    window.addSent({ first: through - 9, through, at: 2 });
  }
  expect(window.hasRoom).toBe(false);
  window.sendAgain({ through: 10, at: 1 });
  expect(window.next).toBe(11);
  expect(window.hasRoom).toBe(true);
  window.addSent({ first: 11, through: 20, at: 2 });
  expect(window.hasRoom).toBe(false);
  expect(window.commit(35)).toEqual({ through: 30, at: 2 });
  expect(window.next).toBe(31);
});

test('frees only what is committed, whichever messages get lost, and everything in the end', () => {
  const events = fc.array(fc.record({ size: fc.integer({ min: 1, max: 5 }), arrives: fc.boolean() }), {
    maxLength: 60,
  });
  fc.assert(
    fc.property(events, (steps) => {
      const total = 40;
      const window = new CommittedWindow(none, 4);
      const stored = new Set<number>();
      let through = 0;
      let freed = 0;
      const step = (size: number, arrives: boolean) => {
        if (window.hasRoom && window.next <= total) {
          const first = window.next;
          const last = Math.min(total, first + size - 1);
          window.addSent({ first, through: last, at: last });
          for (let sequence = first; arrives && sequence <= last; sequence += 1) stored.add(sequence);
        } else if (window.isPending) window.sendAgain({ through: freed, at: freed });
        while (stored.has(through + 1)) through += 1;
        const newest = arrives ? window.commit(through) : undefined;
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

test('frees lost sequences when they are committed, and does not count them as in flight', () => {
  const window = new CommittedWindow({ through: 4, at: 4 }, 3);
  window.addLost(10);
  expect(window).toMatchObject({ next: 11, hasRoom: true, isPending: true });
  expect(() => window.addSent({ first: 12, through: 20, at: 20 })).toThrow('do not follow 10');
  window.addSent({ first: 11, through: 20, at: 20 });
  expect(window.hasRoom).toBe(false);
  expect(window.commit(9)).toBeUndefined();
  expect(window.commit(10)).toEqual({ through: 10, at: 4 });
  expect(window.commit(20)).toEqual({ through: 20, at: 20 });
});
