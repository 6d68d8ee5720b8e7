import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonSubmission } from './request-body.ts';

const read = (text: string) => jsonSubmission(Buffer.from(text)).fields;

test('reads any object like JSON.parse', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (object) => {
      const text = JSON.stringify(object);
      expect(Object.fromEntries(read(text))).toEqual(Object.fromEntries(Object.entries(JSON.parse(text))));
      expect(read(text).map(([name]) => name)).toHaveLength(Object.keys(JSON.parse(text)).length);
    }),
  );
});

test('reports a repeated name, also written with escapes', () => {
  expect(read('{"In":true,"I\\u006e":false}').map(([name]) => name)).toEqual(['In', 'In']);
});

test('ignores names, braces and colons in values', () => {
  expect(read('{"a":{"In":1,"In":2},"b":["In",{"In":":"}],"c":"\\"In\\":{"}').map(([name]) => name)).toEqual([
    'a',
    'b',
    'c',
  ]);
});
