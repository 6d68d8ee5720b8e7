import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { listen, localHost, urlOf } from './listen.ts';

test.each(['127.0.0.1', '0.0.0.0', '::'])(
  'reaches a server on %s by an IPv4 address, which machines without IPv6 have',
  async (host) => {
    const server = createServer((socket) => socket.end('HTTP/1.1 204 No Content\r\n\r\n'));
    onTestFinished(() => void server.close());
    const port = await listen(server, { host, port: 0, setting: 'PORT' });
    expect(localHost(host)).toBe('127.0.0.1');
    expect((await fetch(urlOf('http', localHost(host), port))).status).toBe(204);
  },
);
