import { expect, test } from 'vitest';
import { preferredFormat } from './formats.ts';

test.each([
  [undefined, 'json'],
  ['*/*', 'json'],
  ['application/json', 'json'],
  ['application/*', 'json'],
  ['application/problem+json', 'json'],
  ['application/problem+xml', 'xml'],
  ['text/xml', 'xml'],
  ['application/xml', 'xml'],
  ['text/*', 'xml'],
  ['text/csv', 'csv'],
  ['text/csv;raw=true', 'raw-csv'],
  ['text/csv; raw=true; q=0.5, text/plain', 'raw-csv'],
  ['text/csv;q=0.5, application/json;q=0.4', 'csv'],
  ['application/json;q=0.5, text/xml', 'xml'],
  ['text/xml, application/json', 'xml'],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'xml'],
  ['text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2', 'json'],
  ['application/json;q=0, */*', 'json'],
  ['image/png', 'json'],
  ['application/json;q=0', 'json'],
  ['text/xml; charset=utf-8', 'xml'],
  ['application/xml;charset="UTF-8"', 'xml'],
  ['text/xml;charset=iso-8859-1', 'json'],
  ['application/json;charset=utf-8, text/xml;q=0.9', 'json'],
  ['text/csv; charset=utf-8; header=present', 'csv'],
  ['text/csv;charset=utf-8;raw=true', 'raw-csv'],
  ['nonsense;;,', 'json'],
  ['', 'json'],
])('Accept: %s is answered with %s', (accept, format) => {
  expect(preferredFormat({ accept })).toBe(format);
});

test('answers proxies of .NET and Mono with XML, unless they send Accept', () => {
  for (const by of ['MS', 'Mono']) {
    const agent = `Mozilla/4.0 (compatible; MSIE 6.0; ${by} Web Services Client Protocol 4.0.30319.42000)`;
    expect(preferredFormat({ 'user-agent': agent })).toBe('xml');
    expect(preferredFormat({ 'user-agent': agent, accept: 'application/json' })).toBe('json');
  }
  expect(preferredFormat({ 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64)' })).toBe('json');
});
