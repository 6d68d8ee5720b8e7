import fc from 'fast-check';
import { expect, test } from 'vitest';
import { xmlText } from '../../formats/xml.ts';
import { readXml } from './read-xml.ts';

const read = (text: string) => readXml(new TextEncoder().encode(text));
const refused = (text: string) => expect(() => read(text), text);

test('returns names with their namespaces, whatever the prefixes, and text with CDATA and references', () => {
  const root = read(
    '\ufeff<?xml version="1.0" encoding="UTF-8"?><p:a xmlns:p="urn:p" x="1" p:x="2"><b xmlns="urn:b">1 &lt; <![CDATA[<2>]]>&#x20ac;</b><c/></p:a>',
  );
  expect([root.namespace, root.name]).toEqual(['urn:p', 'a']);
  expect([root.attribute('', 'x'), root.attribute('urn:p', 'x'), root.attribute('', 'y')]).toEqual([
    '1',
    '2',
    undefined,
  ]);
  expect(root.children.map(({ namespace, name, text }) => [namespace, name, text])).toEqual([
    ['urn:b', 'b', '1 < <2>€'],
    ['', 'c', ''],
  ]);
});

test('rejects documents that are not well-formed, with nothing but the position', () => {
  for (const text of [
    '',
    ' ',
    'x',
    '<a>',
    '<a></b>',
    '<a/><b/>',
    '<a b=1/>',
    '<p:a/>',
    '<a>&x;</a>',
    '<a>&#0;</a>',
    '<a b="1" b="2"/>',
    '{}',
  ]) {
    refused(text).toThrow(/^The body is not XML: line \d+, column \d+\.$/);
  }
});

test('refuses document type declarations, so that no entity is ever expanded', () => {
  const lol = '<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]><a>&b;</a>';
  const file = '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>';
  for (const text of [lol, file, '<!DOCTYPE a SYSTEM "http://127.0.0.1/a.dtd"><a/>', '<!DOCTYPE a><a/>']) {
    refused(text).toThrow('document type declaration');
  }
});

test('refuses other encodings than UTF-8, declared or not', () => {
  refused('<?xml version="1.0" encoding="iso-8859-1"?><a/>').toThrow('must be UTF-8');
  expect(() => readXml(Uint8Array.of(0x3c, 0x61, 0xff, 0x2f, 0x3e))).toThrow('must be UTF-8');
  expect(() => readXml(Buffer.from('\ufeff<a/>', 'utf16le'))).toThrow('must be UTF-8');
});

test('limits the depth of elements and the number of their attributes', () => {
  const nested = (depth: number) => '<a>'.repeat(depth) + '</a>'.repeat(depth);
  expect(read(nested(32)).name).toBe('a');
  refused(nested(33)).toThrow('too many elements within one another');
  const attributes = (count: number) =>
    `<a ${Array.from({ length: count }, (_, n) => `b${n}="" `).join('')}/>`;
  expect(read(attributes(64)).name).toBe('a');
  refused(attributes(65)).toThrow('too many attributes');
});

test('any text survives a round trip', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      expect(read(`<a b="${xmlText(text)}">${xmlText(text)}</a>`).text).toBe(text);
    }),
  );
});

test('any bytes are read or rejected with malformed_body', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'<>/a:=" &;![]?-') }), (text) => {
      try {
        read(text);
      } catch (error) {
        expect(error).toMatchObject({ code: 'malformed_body' });
      }
    }),
  );
});
