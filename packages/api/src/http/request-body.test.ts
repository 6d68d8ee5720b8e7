import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonObject, jsonSubmission } from './request-body.ts';

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

test('reads an empty body as an empty object, and skips a byte order mark', () => {
  expect(read('')).toEqual([]);
  expect(read(' \n')).toEqual([]);
  expect(jsonObject(Buffer.from(''))).toEqual({});
  expect(read('\uFEFF{"a":1}')).toEqual([['a', 1]]);
});

test('rejects bodies that are not JSON objects or not UTF-8', () => {
  for (const text of ['[]', '"a"', '1', 'null', '{', '{"a":1}x', "{'a':1}", 'Token=a']) {
    expect(() => read(text)).toThrow(expect.objectContaining({ code: 'malformed_body' }));
  }
  expect(() => jsonSubmission(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]))).toThrow(
    expect.objectContaining({ code: 'malformed_body' }),
  );
});

test('reads a body of nothing but brackets without overflowing', () => {
  expect(() => read('['.repeat(60_000))).toThrow(expect.objectContaining({ code: 'malformed_body' }));
  expect(read(`{"a":${'['.repeat(30_000)}${']'.repeat(30_000)}}`)).toHaveLength(1);
});
