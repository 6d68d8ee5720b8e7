import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fingerprintText, makeEnrolmentCode, parseEnrolmentCode } from './enrolment-code.ts';

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const code = fc
  .tuple(bytes(13), bytes(32))
  .map(([random, hash]) => makeEnrolmentCode(random, fingerprintText(hash)));
const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

test('parses a code however it is typed', () => {
  fc.assert(
    fc.property(bytes(13), bytes(32), (random, hash) => {
      const made = makeEnrolmentCode(random, fingerprintText(hash));
      expect(made).toMatch(/^[0-9A-HJKMNP-TV-Z]{5}(-[0-9A-HJKMNP-TV-Z]{5}){5}$/);
      const parsed = parseEnrolmentCode(made);
      expect(parsed).toEqual({ text: made.replaceAll('-', ''), fingerprint: fingerprintText(hash) });
      const typed = ` ${made.toLowerCase().replaceAll('-', ' ').replaceAll('0', 'o').replaceAll('1', 'l')}`;
      expect(parseEnrolmentCode(typed)).toEqual(parsed);
    }),
  );
});

test('makes codes that differ in the random part and in the server', () => {
  const make = (random: number, hash: number) =>
    makeEnrolmentCode(new Uint8Array(13).fill(random), fingerprintText(new Uint8Array(32).fill(hash)));

  expect(make(0, 0)).toBe('00000-00000-00000-00000-00000-00000');
  expect(make(31, 255)).toMatch(/^ZZZZZ-ZZZZZ-ZZZZZ-ZZZZZ-ZZZZZ-ZZZZ/);
  expect(new Set([make(1, 1), make(1, 2), make(2, 1)]).size).toBe(3);
});

test('refuses every single wrong character and every swap of neighbours', () => {
  fc.assert(
    fc.property(code, fc.nat(29), fc.constantFrom(...digits), (made, place, digit) => {
      const text = made.replaceAll('-', '');
      const wrong = text.slice(0, place) + digit + text.slice(place + 1);
      if (wrong !== text) expect(parseEnrolmentCode(wrong)).toBeUndefined();
      const [a = '', b = ''] = text.slice(place, place + 2);
      const swapped = text.slice(0, place) + b + a + text.slice(place + 2);
      if (swapped !== text) expect(parseEnrolmentCode(swapped)).toBeUndefined();
    }),
  );
});

test.each(['', '0', '0'.repeat(29), '0'.repeat(31), 'U'.repeat(30), '*'.repeat(30)])(
  '%s is not a code',
  (text) => {
    expect(parseEnrolmentCode(text)).toBeUndefined();
  },
);
