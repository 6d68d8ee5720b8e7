import { expect, test } from 'vitest';
import { publicUrl } from './public-url.ts';

const at = (host: string, protocol = 'http') => publicUrl({ host, protocol });

test('is the URL that the caller used, without default ports', () => {
  expect(at('counter.example:8080')).toBe('http://counter.example:8080');
  expect(at('Counter.example:443', 'https')).toBe('https://counter.example');
  expect(at('[::1]:8080')).toBe('http://[::1]:8080');
});

test('has the host localhost if the Host header is missing or invalid', () => {
  for (const host of ['', 'a b', 'a/b', 'x@y', 'a"><b', 'a:99999', 'a:b', '[zz]']) {
    expect(at(host), host).toBe('http://localhost');
  }
  expect(at('counter.example', 'javascript')).toBe('http://counter.example');
});
