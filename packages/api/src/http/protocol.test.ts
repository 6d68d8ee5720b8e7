import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { answerTo } from '../../test/api-under-test.ts';
import { credentials, oneStore } from '../../test/one-store.ts';
import { raw, statusesOf } from '../../test/raw.ts';

const path = '/public/Service.asmx/GetAllCountsByCompanyForTodayPublic';
const form = new URLSearchParams(credentials).toString();

/** A request with the form as its body, on a connection that ends with the answer. */
function post(headers: readonly string[], body = form): string {
  const all = ['content-type: application/x-www-form-urlencoded', 'connection: close', ...headers];
  return `POST ${path} HTTP/1.1\r\n${all.join('\r\n')}\r\n\r\n${body}`;
}

const length = `content-length: ${form.length}`;

test('accepts HTTP/1.0 without Host, and Expect: 100-continue', async () => {
  const { port } = await oneStore();
  expect(statusesOf(await raw(port, post([length]).replace('HTTP/1.1', 'HTTP/1.0')))).toEqual([200]);
  const going = await raw(port, post(['host: x', length, 'expect: 100-continue']));
  expect(statusesOf(going)).toEqual([100, 200]);
});

test.each(['chunked, chunked', 'gzip', 'identity', 'chunked, gzip'])(
  'rejects the transfer coding "%s"',
  async (coding) => {
    const { port } = await oneStore();
    const body = `${form.length.toString(16)}\r\n${form}\r\n0\r\n\r\n`;
    const answers = await raw(port, post(['host: x', `transfer-encoding: ${coding}`], body));
    expect(statusesOf(answers)).toEqual([400]);
  },
);

test('answers headers that are too long, also on a connection with earlier answers', async () => {
  const { port } = await oneStore();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const get = async (target: string) => {
    const sent = request({ port, agent, path: target }).end();
    const [answer] = await once(sent, 'response');
    await text(answer);
    return [answer.statusCode, sent.reusedSocket];
  };
  expect(await get('/live')).toEqual([200, false]);
  expect(await get(`/live?${'x'.repeat(20_000)}`)).toEqual([431, true]);
});

test('answers every pipelined request in order', async () => {
  const { port } = await oneStore();
  const kept = (target: string) =>
    `POST ${target} HTTP/1.1\r\nhost: x\r\ncontent-type: application/x-www-form-urlencoded\r\n${length}\r\n\r\n${form}`;
  const answers = await raw(port, kept(path) + kept('/nowhere') + kept(path), post(['host: x', length]));
  expect(statusesOf(answers)).toEqual([200, 404, 200, 200]);
});

test('accepts chunked bodies, and rejects those with two lengths', async () => {
  const { port } = await oneStore();
  const chunk = (text: string, more = '') => `${text.length.toString(16)}${more}\r\n${text}\r\n`;
  const chunks = `${chunk(form.slice(0, 5), ';a=b')}${chunk(form.slice(5))}0\r\nx-trailer: y\r\n\r\n`;
  const chunked = ['host: x', 'transfer-encoding: chunked'];
  expect(statusesOf(await raw(port, post(chunked, chunks)))).toEqual([200]);
  const ambiguous = await raw(port, post([...chunked, length], chunks));
  expect(statusesOf(ambiguous)).toEqual([400]);
  const broken = await raw(port, post(chunked, 'zz\r\n'));
  expect(statusesOf(broken)).toEqual([400]);
});

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

test('documents the errors of HTTP for /v1 as well', async () => {
  const { port } = await oneStore();
  const codeOf = async (path: string, request: RequestInit = {}) =>
    Object((await answerTo(`http://127.0.0.1:${port}/v1/${path}`, request)).body).code;
  const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
  const compressed = { method: 'POST', headers, body: new Uint8Array(gzipSync('{}')) };
  expect(await codeOf('corrections', compressed)).toBe('unsupported_content_encoding');
  expect(await codeOf('stores/%ZZ')).toBe('not_found');
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
