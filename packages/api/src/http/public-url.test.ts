import { expect, test } from 'vitest';
import { publicUrl } from './public-url.ts';

const socket = { localAddress: '10.0.0.7', localPort: 8080 };
const at = (host: string, protocol = 'http') => publicUrl({ host, protocol, socket });

test('is the URL that the caller used, without default ports', () => {
  expect(at('counter.example:8080')).toBe('http://counter.example:8080');
  expect(at('Counter.example:443', 'https')).toBe('https://counter.example');
  expect(at('[::1]:8080')).toBe('http://[::1]:8080');
});

test('is the address of the connection if the Host header is missing or invalid', () => {
  for (const host of ['', 'a b', 'a/b', 'x@y', 'a"><b', 'a:99999', 'a:b', '[zz]']) {
    expect(at(host), host).toBe('http://10.0.0.7:8080');
  }
  expect(at('counter.example', 'javascript')).toBe('http://counter.example');
  expect(publicUrl({ host: '', protocol: 'http', socket: { localAddress: '::1', localPort: 1 } })).toBe(
    'http://[::1]:1',
  );
});
