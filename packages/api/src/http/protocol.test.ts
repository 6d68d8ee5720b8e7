import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { answerTo } from '../../test/api-under-test.ts';
import { credentials, oneStore } from '../../test/one-store.ts';

const form = new URLSearchParams(credentials).toString();

test('rejects compressed bodies, and accepts Content-Encoding: identity', async () => {
  const api = await oneStore();
  const send = (encoding: string, body: string | Uint8Array<ArrayBuffer>) => {
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      'content-encoding': encoding,
    };
    return answerTo(api.url('GetAllCountsByCompanyForTodayPublic'), { method: 'POST', headers, body });
  };
  for (const encoding of ['gzip', 'br', 'identity, gzip']) {
    const answer = await send(encoding, new Uint8Array(gzipSync(form)));
    expect(answer.body).toMatchObject({ status: 415, code: 'unsupported_content_encoding' });
    expect(answer.headers.get('accept-encoding')).toBe('identity');
  }
  expect((await send('identity', form)).status).toBe(200);
});

test('reads the large bodies of /v1 only from callers that it knows', async () => {
  const { port } = await oneStore();
  const send = async (path: string, type: string, more = {}) => {
    const headers = { 'content-type': type, ...more };
    const request = { method: 'POST', headers, body: `"${'['.repeat(100_000)}` };
    return Object((await answerTo(`http://127.0.0.1:${port}/v1/${path}`, request)).body).code;
  };
  const calendar = 'stores/S-1/opening-hours/calendar';
  expect(await send('sales', 'application/json')).toBe('unauthenticated');
  expect(await send('audits', 'text/csv', { authorization: 'Bearer guessed' })).toBe('unauthenticated');
  expect(await send(calendar, 'text/calendar', { cookie: 'visitor-counter=x' })).toBe('unauthenticated');
  const known = { authorization: `Bearer ${credentials.Token}` };
  expect(await send('sales', 'application/json', known)).toBe('malformed_body');
});

test('ignores any number of unknown names, whatever they are', async () => {
  const api = await oneStore();
  const send = (type: string, body: string) =>
    answerTo(api.url('GetAllCountsByCompanyForTodayPublic'), {
      method: 'POST',
      headers: { 'content-type': type },
      body,
    });
  const strays = [
    '__proto__',
    'constructor',
    'toString',
    '__proto__[CompanyName]',
    'CompanyName[]',
    'Token.x',
  ];
  const fields = strays.map((name) => `&${encodeURIComponent(name)}=x`).join('');
  const many = '&a'.repeat(32_000);
  expect((await send('application/x-www-form-urlencoded', form + fields)).status).toBe(200);
  expect((await send('application/x-www-form-urlencoded', form + many)).status).toBe(200);

  const members = [...strays, ...sameHashes()].map((name) => `,${JSON.stringify(name)}:{"Token":1}`).join('');
  const object = `${JSON.stringify(credentials).slice(0, -1)}${members}}`;
  expect((await send('application/json', object)).status).toBe(200);
  const deep = `{"Token":${'['.repeat(30_000)}${']'.repeat(30_000)}}`;
  expect((await send('application/json', deep)).body).toMatchObject({ code: 'invalid_parameter' });
  const unclosed = `{"Token":${'{"a":'.repeat(13_000)}`;
  expect((await send('application/json', unclosed)).body).toMatchObject({ code: 'malformed_body' });
});

/** Names that weak hash functions put in one bucket. */
function sameHashes(): string[] {
  return Array.from({ length: 2 ** 10 }, (_, bits) =>
    Array.from({ length: 10 }, (_, place) => ((bits >> place) & 1 ? 'Aa' : 'BB')).join(''),
  );
}
