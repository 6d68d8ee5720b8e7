import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Crossings, decodeCrossings, encodeCrossings, maxFuture } from './crossings-message.ts';
import { earliestInstant, maxPacketBytes } from './limits.ts';

const now = Date.UTC(2026, 10, 20);

const crossings: fc.Arbitrary<Crossings> = fc.record({
  journal: fc.stringMatching(/^[!-~]{1,128}$/),
  first: fc.integer({ min: 1, max: 2 ** 52 }),
  crossings: fc.array(
    fc.oneof(
      fc.record({ at: fc.integer({ min: earliestInstant, max: now }), direction: fc.constantFrom(1, -1) }),
      fc.record({
        at: fc.integer({ min: earliestInstant, max: now }),
        direction: fc.constantFrom(1, -1),
        uncertainty: fc.integer({ min: 1, max: 1e9 }),
      }),
    ),
    { minLength: 1, maxLength: 50 },
  ),
});

test('decodes what it has encoded, each entry with its sequence', () => {
  fc.assert(
    fc.property(crossings, (message) => {
      const decoded = decodeCrossings(Buffer.from(encodeCrossings(message)), now);
      const valid = message.crossings.map((crossing, index) => ({
        sequence: message.first + index,
        ...crossing,
      }));
      expect(decoded).toEqual({ journal: message.journal, valid, rejected: [] });
    }),
  );
});

test('decodes any bytes, or returns that they are malformed; never throws', () => {
  const bytes = fc.oneof(
    fc.uint8Array(),
    fc.json().map((text) => Buffer.from(text)),
  );
  fc.assert(
    fc.property(bytes, (payload) => {
      expect(decodeCrossings(payload, now)).toBeTypeOf('object');
    }),
  );
});

test.each([
  ['text', ['1785000000000', 1], /instant: expected a whole number/],
  ['a fraction', [1785000000000.5, 1], /instant: expected a whole number/],
  ['a number beyond a double', [1e300, 1], /instant: expected a whole number/],
  ['1970', [1000, 1], /before the year 2000/],
  ['the day after tomorrow', [now + maxFuture + 1, 1], /more than 24 hours in the future/],
  ['two people', [1785000000000, 2], /direction: expected 1 or -1/],
  ['no direction', [1785000000000], /entry: expected/],
  ['a negative uncertainty', [1785000000000, 1, -1], /uncertainty/],
  ['an object', { at: 1785000000000 }, /entry: expected/],
  ['null', null, /entry: expected/],
])('rejects an entry with %s and accepts the others', (_, entry, reason) => {
  const good = [1785000000000, 1];
  const payload = Buffer.from(JSON.stringify({ journal: 'j1', first: 5, crossings: [good, entry, good] }));

  const decoded = decodeCrossings(payload, now);

  expect(decoded).toMatchObject({
    valid: [{ sequence: 5 }, { sequence: 7 }],
    rejected: [{ sequence: 6, entry, reason: expect.stringMatching(reason) }],
  });
});

test('accepts an instant up to 24 hours ahead', () => {
  const payload = Buffer.from(JSON.stringify({ journal: 'j1', first: 1, crossings: [[now + maxFuture, 1]] }));

  expect(decodeCrossings(payload, now)).toMatchObject({ valid: [{ sequence: 1 }], rejected: [] });
});

test('marks an instant more than 10 minutes ahead as uncertain, since it is from a wrong clock', () => {
  const crossings = [
    [now + 600_000, 1],
    [now + 600_001, 1],
    [now + 3_600_000, 1, 7_200_000],
  ];
  const payload = Buffer.from(JSON.stringify({ journal: 'j1', first: 1, crossings }));

  const { valid } = Object(decodeCrossings(payload, now));

  const marks = valid.map(({ uncertainty }: { uncertainty?: number }) => uncertainty);
  expect(marks).toEqual([undefined, 600_001, 7_200_000]);
});

test('encodes the largest message within the size of a packet', () => {
  const crossing = { at: now, direction: -1, uncertainty: 3e11 } as const;
  const message = { journal: 'x'.repeat(128), first: 2 ** 52, crossings: Array(1_000).fill(crossing) };

  expect(encodeCrossings(message).length).toBeLessThan(maxPacketBytes - 200);
});
