import fc from 'fast-check';
import { expect, test } from 'vitest';
import { InFlight, type Sent } from './in-flight.ts';

test('in whatever order PUBACKs come, only a contiguous prefix is acknowledged, and in the end everything', () => {
  const part = fc.record({ length: fc.integer({ min: 1, max: 5 }), isLost: fc.boolean() });
  const history = fc
    .array(part, { minLength: 1, maxLength: 20 })
    .chain((parts) => fc.tuple(fc.constant(parts), fc.shuffledSubarray(parts, { minLength: parts.length })));
  fc.assert(
    fc.property(history, ([parts, acknowledgements]) => {
      const inFlight = new InFlight({ through: 0, at: 0 });
      const open = new Set<number>();
      const messages = new Map<(typeof parts)[number], Sent>();
      let through = 0;
      const expectPrefix = () => {
        for (const sequence of open) expect(sequence).toBeGreaterThan(through);
      };
      for (const next of parts) {
        const first = inFlight.next;
        const last = first + next.length - 1;
        if (next.isLost) {
          through = inFlight.lost(last)?.through ?? through;
        } else {
          const sent = { first, through: last, at: last };
          messages.set(next, sent);
          inFlight.add(sent);
          for (let sequence = first; sequence <= last; sequence += 1) open.add(sequence);
        }
        expectPrefix();
      }
      for (const next of acknowledgements) {
        const sent = messages.get(next);
        if (!sent) continue;
        for (let sequence = sent.first; sequence <= sent.through; sequence += 1) open.delete(sequence);
        through = inFlight.acknowledged(sent)?.through ?? through;
        expectPrefix();
      }
      expect(inFlight.size).toBe(0);
      expect(through).toBe(inFlight.next - 1);
    }),
  );
});

test('refuses a message that leaves sequences out', () => {
  const inFlight = new InFlight({ through: 10, at: 10 });
  expect(() => inFlight.add({ first: 12, through: 20, at: 20 })).toThrow(
    'sequences 12 to 20 do not follow 10',
  );
  expect(inFlight.lost(11)).toEqual({ first: 11, through: 11, at: 10 });
  inFlight.add({ first: 12, through: 20, at: 20 });
});
