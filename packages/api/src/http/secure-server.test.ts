import { once } from 'node:events';
import { get } from 'node:https';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import type { TLSSocket } from 'node:tls';
import { type Certificate, createAuthority, createCertificate } from '@visitor-counter/test/certificates';
import { expect, test } from 'vitest';
import { apiUnderTest } from '../../test/api-under-test.ts';
import { certificateFiles, newCertificate } from '../../test/certificate-files.ts';

/** Requests the probe over HTTPS; returns the status and the name in the certificate. */
async function probe(port: number, ca: Certificate) {
  const request = get({ host: '127.0.0.1', port, path: '/live', ca: ca.cert, agent: false });
  const [answer] = await once(request, 'response');
  const socket: TLSSocket = answer.socket;
  const name = socket.getPeerCertificate().subject.CN;
  await text(answer);
  expect(answer.headers['strict-transport-security']).toBe('max-age=31536000');
  return { status: answer.statusCode, name };
}

test('serves HTTPS with the current certificate files, and with the previous ones while they do not match', async () => {
  const { files, write } = await certificateFiles();
  const ca = await createAuthority('company');
  await write(await createCertificate(ca, 'first'));
  const api = await apiUnderTest({ tls: files, reloadInterval: 50 });
  expect(await probe(api.port, ca)).toEqual({ status: 200, name: 'first' });

  const [next, torn] = [await createCertificate(ca, 'next'), await createCertificate(ca, 'torn')];
  await write(next);
  await expect.poll(() => probe(api.port, ca)).toEqual({ status: 200, name: 'next' });
  await write({ cert: torn.cert, key: next.key });
  await expect.poll(() => api.logged()).toContain('certificates not reloaded');

  expect(await probe(api.port, ca)).toEqual({ status: 200, name: 'next' });
});

test('closes connections without TLS, and continues', async () => {
  const { files, ca } = await newCertificate();
  const api = await apiUnderTest({ tls: files });
  const plain = connect(api.port, '127.0.0.1');
  plain.on('error', () => {});
  plain.end('GET /live HTTP/1.1\r\nHost: a\r\n\r\n');

  await once(plain.resume(), 'close');

  expect(await probe(api.port, ca)).toMatchObject({ status: 200 });
});

test('does not start with unusable files, and names the setting', async () => {
  const { files } = await certificateFiles();

  await expect(apiUnderTest({ tls: files })).rejects.toThrow(
    /^HTTP_TLS_CERT is ".*cert.pem": expected a file/,
  );
});
