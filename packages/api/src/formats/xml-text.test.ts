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
