import { operations } from '@visitor-counter/api/asmx/operations/operations';
import fc from 'fast-check';
import { rightValues } from './world.ts';

/** Names and values of a call, for a body of any format. */
export type Given = readonly (readonly [name: string, value: string])[];

export interface FuzzCall {
  readonly operation: string;
  readonly given: Given;
}

const edges = [
  '',
  ' ',
  '\0',
  '\u0000x',
  '\ufeff',
  '\uffff',
  '\ud800',
  '%',
  '%zz',
  '&',
  '=',
  '+',
  '<',
  ']]>',
  '"',
  "'",
  ...['null', 'undefined', 'NaN', 'Infinity', '-1', '0', '1e400', '2,5', '0x10', '٣', '１', 'TRUE', 'yes'],
  ...[
    '2026-02-30',
    '2026-11-20T24:00',
    '10000-01-01',
    '-0001-01-01',
    '2026-11-20T10:00+99:99',
    '2026-03-29T02:30',
  ],
  ...['__proto__', 'constructor', "' or 1=1 --", '../../etc/passwd', 'I\u0307', 'ſ', 'ß', '\u0130'],
];

/** Text that is often invalid. */
export const anyText = fc.oneof(
  fc.constantFrom(...edges),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.nat(5_000).map((length) => 'x'.repeat(length)),
);

const anyValue = (name: string) =>
  fc.oneof(
    { weight: 20, arbitrary: fc.constantFrom(...(rightValues[name] ?? [''])) },
    { weight: 1, arbitrary: anyText },
  );

const spelling = (name: string) =>
  fc.oneof(
    { weight: 20, arbitrary: fc.constant(name) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(name.toLowerCase(), name.toUpperCase(), ` ${name}`, `${name}[]`),
    },
  );

const stray = fc.tuple(fc.oneof(fc.constantFrom(...Object.keys(rightValues), '__proto__'), anyText), anyText);

/** A call of an operation with its parameters, sometimes without one or with a foreign one. */
export const anyCall: fc.Arbitrary<FuzzCall> = fc.constantFrom(...operations).chain(({ name, input }) => {
  const given = Object.keys(input.properties).map((parameter) =>
    fc.option(fc.tuple(spelling(parameter), anyValue(parameter)), { freq: 30 }),
  );
  const strays = fc.oneof(
    { weight: 6, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(stray, { maxLength: 4 }) },
  );
  return fc.tuple(fc.tuple(...given), strays).map(([own, more]) => ({
    operation: name,
    given: [...own.filter((pair) => pair !== null), ...more],
  }));
});
