import fc from 'fast-check';
import { expect, test } from 'vitest';
import { InFlight, type Sent } from './in-flight.ts';

test('in whatever order PUBACKs come, only a contiguous prefix is acknowledged, and in the end everything', () => {
  const order = fc.integer({ min: 1, max: 20 }).chain((count) =>
    fc.shuffledSubarray(
      Array.from({ length: count }, (_, index) => index),
      { minLength: count },
    ),
  );
  fc.assert(
    fc.property(order, (acknowledgements) => {
      const inFlight = new InFlight();
      const sent = acknowledgements.map((_, index): Sent => ({ through: (index + 1) * 10, at: index }));
      for (const message of sent) inFlight.add(message);
      const come = new Set<number>();
      let through = 0;
      for (const index of acknowledgements) {
        come.add(index);
        const message = sent[index];
        through = (message && inFlight.acknowledged(message))?.through ?? through;
        const prefix = sent.findIndex((_, place) => !come.has(place));
        expect(through).toBe((prefix === -1 ? sent.length : prefix) * 10);
      }
      expect(inFlight.size).toBe(0);
    }),
  );
});
