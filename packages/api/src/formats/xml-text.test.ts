import fc from 'fast-check';
import { SaxesParser } from 'saxes';
import { expect, test } from 'vitest';
import { xmlText } from './xml.ts';

test('escapes markup and carriage returns, and no other text', () => {
  expect(xmlText(`a & <b> "c" 'd'\r\n\té 日本 😀`)).toBe(
    'a &amp; &lt;b&gt; &quot;c&quot; &apos;d&apos;&#xD;\n\té 日本 😀',
  );
});

test('replaces characters that XML does not allow', () => {
  expect(xmlText('a\u0000\u0001\u000b\u001f\ufffe\uffffb')).toBe(`a${'\ufffd'.repeat(6)}b`);
  expect(xmlText('\ud83d x \ude00')).toBe('\ufffd x \ufffd');
});

test('any text survives an XML parser, in an element and in an attribute', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (value) => {
      let read = '';
      const parser = new SaxesParser();
      parser.on('error', (error) => {
        throw error;
      });
      parser.on('text', (text) => {
        read += text;
      });
      parser.write(`<a b="${xmlText(value)}">${xmlText(value)}</a>`).close();
      expect(read).toBe(value);
    }),
  );
});
