import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { get } from 'node:https';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { TLSSocket } from 'node:tls';
import { type Certificate, createAuthority, createCertificate } from '@visitor-counter/test/certificates';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { expect, test } from 'vitest';
import { apiUnderTest } from '../../test/api-under-test.ts';

/** The files of the api's certificate, which do not exist until they are written, and an authority. */
async function certificateFiles() {
  const folder = await temporaryFolder();
  const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const write = async ({ cert, key }: Certificate) => {
    await writeFile(certFile, cert);
    await writeFile(keyFile, key);
  };
  return { files: { settings: 'HTTP_TLS', certFile, keyFile }, write, ca: await createAuthority('company') };
}

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
  const { files, write, ca } = await certificateFiles();
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
  const { files, write, ca } = await certificateFiles();
  await write(await createCertificate(ca, 'api'));
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
