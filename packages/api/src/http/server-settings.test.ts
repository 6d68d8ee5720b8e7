import { once } from 'node:events';
import { get, Server } from 'node:http';
import { get as getSecurely } from 'node:https';
import { text } from 'node:stream/consumers';
import type { CertificateFiles } from '@visitor-counter/service/certificates';
import { createLogger } from '@visitor-counter/service/logger';
import { Metrics } from '@visitor-counter/service/metrics';
import { createCertificate } from '@visitor-counter/test/certificates';
import { expect, onTestFinished, test } from 'vitest';
import { newCertificate } from '../../test/certificate-files.ts';
import { defaultTimeouts } from './answer-body.ts';
import { apiInstruments } from './request-log.ts';
import { closeServer, createServer, listen } from './server.ts';

async function listening(tls?: CertificateFiles) {
  let logged = '';
  const lines = {
    write: (line: string) => {
      logged += line;
    },
  };
  const { app } = await createServer({
    trustedProxies: [],
    instruments: apiInstruments(new Metrics()),
    log: createLogger('api', {}, lines),
    timeouts: defaultTimeouts,
    tls,
    reloadInterval: 50,
  });
  app.get('/live', async () => ({}));
  const port = await listen(app, '127.0.0.1', 0);
  onTestFinished(() => closeServer(app));
  return { server: app.server, port, logged: () => logged };
}

/** Everything that a server of Node for HTTP can be set to, and its sockets inherit. */
function settingsOf(server: Server): Record<string, unknown> {
  const isSetting = (value: unknown) => !['object', 'function'].includes(typeof value) || value === null;
  const names = Object.entries(new Server())
    .filter(([name, value]) => !name.startsWith('_') && isSetting(value))
    .map(([name]) => name);
  const settings = Object.entries(server).filter(([name]) => names.includes(name));
  /* HTTPS leaves out what HTTP sets to its default. */
  return { maxRequestsPerSocket: 0, ...Object.fromEntries(settings) };
}

test('has the same settings for HTTP and HTTPS, also when the certificate is renewed', async () => {
  const { files, write, ca } = await newCertificate();
  const plain = await listening();
  const secure = await listening(files);
  const expected = settingsOf(plain.server);
  expect(Object.keys(expected)).toEqual(
    expect.arrayContaining([
      'headersTimeout',
      'keepAliveTimeout',
      'maxHeaderSize',
      'requestTimeout',
      'timeout',
    ]),
  );

  expect(settingsOf(secure.server)).toEqual(expected);

  await write(await createCertificate(ca, 'next'));
  await expect.poll(secure.logged).toContain('certificates reloaded');
  expect(settingsOf(secure.server)).toEqual(expected);
});

test('keeps connections longer than proxies keep idle ones, over HTTP and HTTPS', async () => {
  const { files, ca } = await newCertificate();
  const [plain, secure] = [await listening(), await listening(files)];
  const target = { host: '127.0.0.1', path: '/live', headers: { connection: 'keep-alive' } };
  const requests = [
    get({ ...target, port: plain.port }),
    getSecurely({ ...target, port: secure.port, ca: ca.cert }),
  ];
  for (const request of requests) {
    const [answer] = await once(request, 'response');
    await text(answer);
    const [, seconds] = /timeout=(\d+)/.exec(answer.headers['keep-alive']) ?? [];
    /* The longest of those that cannot be configured: Google's load balancer. */
    expect(Number(seconds)).toBeGreaterThan(600);
  }
});
