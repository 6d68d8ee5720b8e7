import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readableJson } from './receive.ts';

const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('\0', '\ud83d', '\ude00', '\\', 'u0000', 'ud800', '"', '\ufeff', 'a') }),
);

test('converts any text for PostgreSQL: U+FFFD replaces NUL and lone surrogates, the rest is unchanged', () => {
  fc.assert(
    fc.property(anyText, anyText, (name, text) => {
      const key = `x${name}`;
      const json = readableJson({ at: 1, [key]: text });
      expect(JSON.parse(json)).toEqual({ at: 1, [legible(key)]: legible(text) });
    }),
  );
});

function legible(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}
