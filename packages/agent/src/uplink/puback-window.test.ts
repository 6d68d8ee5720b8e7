import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Sent } from './delivery-window.ts';
import { PubackWindow } from './puback-window.ts';

test('frees only a contiguous prefix in any order of PUBACKs, and everything in the end', () => {
  const part = fc.record({ length: fc.integer({ min: 1, max: 5 }), isLost: fc.boolean() });
  const history = fc
    .array(part, { minLength: 1, maxLength: 20 })
    .chain((parts) => fc.tuple(fc.constant(parts), fc.shuffledSubarray(parts, { minLength: parts.length })));
  fc.assert(
    fc.property(history, ([parts, acknowledgements]) => {
      const window = new PubackWindow({ through: 0, at: 0 }, 1);
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
  const window = new PubackWindow({ through: 10, at: 10 }, 1);
  expect(() => window.addSent({ first: 12, through: 20, at: 20 })).toThrow(
    'sequences 12 to 20 do not follow 10',
  );
  expect(window.addLost(11)).toEqual({ first: 11, through: 11, at: 10 });
  window.addSent({ first: 12, through: 20, at: 20 });
});
