import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DeliveryWindow, type Sent } from './delivery-window.ts';

const none = { through: 0, at: 0 };
const pubackWindow = (acknowledged = none) => new DeliveryWindow(acknowledged, 1);

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

test('has room for as many messages as its size, not counting lost sequences', () => {
  const window = new DeliveryWindow({ through: 4, at: 4 }, 2);
  window.addSent({ first: 5, through: 10, at: 1 });
  window.addLost(20);
  expect(window.hasRoom).toBe(true);
  const second = { first: 21, through: 30, at: 2 };
  window.addSent(second);
  expect(window.hasRoom).toBe(false);
  window.acknowledge(second);
  expect(window.hasRoom).toBe(false);
});

test('ignores PUBACKs of an ended journal', () => {
  const window = pubackWindow();
  const sent = { first: 1, through: 5, at: 5 };
  window.addSent(sent);
  window.restart(none);
  expect(window).toMatchObject({ next: 1, hasRoom: true });
  expect(window.acknowledge(sent)).toBeUndefined();
});
