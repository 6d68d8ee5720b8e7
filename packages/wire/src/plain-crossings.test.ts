import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Crossings, decodeCrossings, encodeCrossings } from './crossings-message.ts';
import {
  acceptedInstants,
  earliestInstant,
  maxCrossingsPerMessage,
  maxFuture,
  maxUncertainty,
} from './limits.ts';
import { readPlainCrossings } from './plain-crossings.ts';

const now = Date.UTC(2026, 10, 20);
const accepted = acceptedInstants(now, Number.POSITIVE_INFINITY);

const entry = fc.record(
  {
    at: fc.integer({ min: earliestInstant, max: now + maxFuture }),
    direction: fc.constantFrom(1 as const, -1 as const),
    uncertainty: fc.integer({ min: 0, max: maxUncertainty }),
  },
  { requiredKeys: ['at', 'direction'] },
);

const message: fc.Arbitrary<Crossings> = fc.record({
  journal: fc.stringMatching(/^[!#-[\]-~]{1,128}$/),
  first: fc.integer({ min: 1, max: 1e15 - 1 }),
  crossings: fc.array(entry, { minLength: 1, maxLength: 20 }),
});

/** As JSON says what a payload says: with a space before it, it is not written as units write it. */
const inFull = (payload: Buffer) => decodeCrossings(Buffer.concat([Buffer.from(' '), payload]), now);

test('reads whatever units write, and the same as is read in full', () => {
  fc.assert(
    fc.property(message, (sent) => {
      const payload = Buffer.from(encodeCrossings(sent));

      expect(readPlainCrossings(payload, accepted)).toEqual(inFull(payload));
    }),
  );
});

/** Texts that a payload may have in place of some of its own: what JSON takes, and what it does not. */
const splice = fc.record({
  at: fc.nat(),
  length: fc.nat({ max: 3 }),
  text: fc.oneof(
    fc.constantFrom('', ' ', '0', '00', '-', '-0', '+1', '1e3', '.5', '\\u0041', '\\"', '"', '[', ']', ','),
    fc.constantFrom('99999999999999999999', '[]', 'null', '}', '{', 'ä', '\0', '\n', ',"x":1', ',0', ',-1'),
    fc.string({ maxLength: 3 }),
  ),
});

test('reads nothing that is to be read otherwise in full', () => {
  fc.assert(
    fc.property(message, fc.array(splice, { minLength: 1, maxLength: 3 }), (sent, splices) => {
      let text = encodeCrossings(sent);
      for (const { at, length, text: other } of splices) {
        const place = at % (text.length + 1);
        text = text.slice(0, place) + other + text.slice(place + length);
      }
      const payload = Buffer.from(text);

      const read = readPlainCrossings(payload, accepted);
      if (read !== undefined) expect(read).toEqual(inFull(payload));
      expect(decodeCrossings(payload, now)).toEqual(inFull(payload));
    }),
    { numRuns: 3_000 },
  );
});

const write = (fields: object) =>
  JSON.stringify({ journal: 'j1', first: 1, crossings: [[now, 1]], ...fields });

test.each([
  ['nothing', ''],
  ['half of it', write({}).slice(0, -10)],
  ['more behind it', `${write({})} `],
  ['a journal without characters', write({ journal: '' })],
  ['a journal of 129 characters', write({ journal: 'x'.repeat(129) })],
  ['an escaped quote', write({ journal: 'a"b' })],
  ['a sequence of 0', write({ first: 0 })],
  ['a sequence of 16 digits', write({ first: 1e15 })],
  ['no crossings', write({ crossings: [] })],
  ['1,001 crossings', write({ crossings: Array(maxCrossingsPerMessage + 1).fill([now, 1]) })],
  ['an instant before 2000', write({ crossings: [[earliestInstant - 1, 1]] })],
  ['an instant too far ahead', write({ crossings: [[now + maxFuture + 1, 1]] })],
  ['a leading zero', write({}).replace(String(now), `0${now}`)],
  ['a direction of 0', write({ crossings: [[now, 0]] })],
  ['a direction of 10', write({ crossings: [[now, 10]] })],
  ['an uncertainty too large', write({ crossings: [[now, 1, maxUncertainty + 1]] })],
  ['a fourth number', write({ crossings: [[now, 1, 1, 1]] })],
])('leaves what has %s to be read in full', (_, text) => {
  expect(readPlainCrossings(Buffer.from(text), accepted)).toBeUndefined();
});

test('takes 1,000 crossings, and the last instant that is taken', () => {
  const crossings = Array(maxCrossingsPerMessage).fill([now + maxFuture, -1, maxUncertainty]);
  const payload = Buffer.from(write({ crossings }));

  expect(readPlainCrossings(payload, accepted)).toEqual(inFull(payload));
});
