import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DeliveryWindow, type Sent } from './delivery-window.ts';

const none = { through: 0, at: 0 };
const pubackWindow = (acknowledged = none) =>
  new DeliveryWindow(acknowledged, { acknowledgement: 'puback', window: 1 });
const committedWindow = (window: number, acknowledged = none) =>
  new DeliveryWindow(acknowledged, { acknowledgement: 'committed', window });

test('frees only a contiguous prefix in any order of PUBACKs, and everything in the end', () => {
  const part = fc.record({ length: fc.integer({ min: 1, max: 5 }), isLost: fc.boolean() });
  const history = fc
    .array(part, { minLength: 1, maxLength: 20 })
    .chain((parts) => fc.tuple(fc.constant(parts), fc.shuffledSubarray(parts, { minLength: parts.length })));
  fc.assert(
    fc.property(history, ([parts, acknowledgements]) => {
      const window = pubackWindow();
      const open = new Set<number>();
      const messages = new Map<(typeof parts)[number], Sent>();
      let through = 0;
      const expectPrefix = () => {
        for (const sequence of open) expect(sequence).toBeGreaterThan(through);
      };
      for (const next of parts) {
        const first = window.next;
        const last = first + next.length - 1;
        if (next.isLost) {
          through = window.addLost(last)?.through ?? through;
        } else {
          const sent = { first, through: last, at: last };
          messages.set(next, sent);
          window.addSent(sent);
          for (let sequence = first; sequence <= last; sequence += 1) open.add(sequence);
        }
        expectPrefix();
      }
      for (const next of acknowledgements) {
        const sent = messages.get(next);
        if (!sent) continue;
        for (let sequence = sent.first; sequence <= sent.through; sequence += 1) open.delete(sequence);
        through = window.acknowledge(sent)?.through ?? through;
        expectPrefix();
      }
      expect(window.hasRoom).toBe(true);
      expect(through).toBe(window.next - 1);
    }),
  );
});

test('refuses a message that skips sequences', () => {
  const window = pubackWindow({ through: 10, at: 10 });
  expect(() => window.addSent({ first: 12, through: 20, at: 20 })).toThrow(
    'sequences 12 to 20 do not follow 10',
  );
  expect(window.addLost(11)).toEqual({ first: 11, through: 11, at: 10 });
  window.addSent({ first: 12, through: 20, at: 20 });
});

test('allows one message in flight until something is committed, then as many as the window has room for', () => {
  const window = committedWindow(3);
  window.addSent({ first: 1, through: 10, at: 1 });
  expect(window.hasRoom).toBe(false);
  expect(window.commit(9)).toBeUndefined();
  expect(window.commit(10)).toMatchObject({ through: 10, at: 1 });
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
  expect(window.commit(35)).toMatchObject({ through: 30, at: 2 });
  expect(window.next).toBe(31);
});

test('frees only what is committed, whichever messages get lost, and everything in the end', () => {
  const events = fc.array(fc.record({ size: fc.integer({ min: 1, max: 5 }), arrives: fc.boolean() }), {
    maxLength: 60,
  });
  fc.assert(
    fc.property(events, (steps) => {
      const total = 40;
      const window = committedWindow(4);
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
  const window = committedWindow(3, { through: 4, at: 4 });
  window.addLost(10);
  expect(window).toMatchObject({ next: 11, hasRoom: true, isPending: true });
  expect(() => window.addSent({ first: 12, through: 20, at: 20 })).toThrow('do not follow 10');
  window.addSent({ first: 11, through: 20, at: 20 });
  expect(window.hasRoom).toBe(false);
  expect(window.commit(9)).toBeUndefined();
  expect(window.commit(10)).toMatchObject({ through: 10, at: 4 });
  expect(window.commit(20)).toMatchObject({ through: 20, at: 20 });
});

test('counts a message that was sent again once', () => {
  const window = committedWindow(2);
  window.addSent({ first: 1, through: 1, at: 1 });
  window.commit(1);
  window.addSent({ first: 2, through: 2, at: 2 });
  window.addSent({ first: 3, through: 3, at: 3 });
  window.sendAgain({ through: 0, at: 0 });
  window.addSent({ first: 1, through: 1, at: 1 });
  window.commit(1);
  window.addSent({ first: 2, through: 2, at: 2 });
  expect(window.hasRoom).toBe(true);
});

test('ignores PUBACKs of an ended journal', () => {
  const window = pubackWindow();
  const sent = { first: 1, through: 5, at: 5 };
  window.addSent(sent);
  window.restart(none);
  expect(window).toMatchObject({ next: 1, hasRoom: true, isPending: false });
  expect(window.acknowledge(sent)).toBeUndefined();
});
