import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { connect as connectSecurely } from 'node:tls';
import { expect, test } from 'vitest';
import { newCertificate } from '../../test/certificate-files.ts';
import { cross, oneStore, token } from '../../test/one-store.ts';
import { lastBody, statusesOf } from '../../test/raw.ts';

/** A request that stores something, and the head of one that does not fit into what the server reads. */
const entry = JSON.stringify({ store: 'S-1', people: 3, by: 'Kim', at: '2026-11-20T10:15:00Z' });
const head =
  'POST /v1/corrections HTTP/1.1\r\nhost: x\r\nauthorization: staff-token\r\ncontent-type: application/json\r\n';
const store = `${head}content-length: ${entry.length}\r\n\r\n${entry}`;
const tooLong = `GET /live HTTP/1.1\r\nhost: x\r\nx-long: ${'x'.repeat(20_000)}\r\n\r\n`;
const post = `${head}transfer-encoding: chunked\r\n\r\n`;

/** What follows a request, whether the client then ends its direction, and the code of the second answer. */
const cases: readonly [what: string, bytes: string | Buffer, ends: boolean, code: string][] = [
  ['text', 'no request\r\n\r\n', false, 'malformed_request'],
  ['a megabyte of text', 'x'.repeat(1_000_000), false, 'malformed_request'],
  ['bytes of a body that is longer than it says', '"}', false, 'malformed_request'],
  ['a handshake of TLS', Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01]), false, 'malformed_request'],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', false, 'malformed_request'],
  ['a method that does not exist', 'FETCH / HTTP/1.1\r\nhost: x\r\n\r\n', false, 'malformed_request'],
  ['CONNECT', 'CONNECT x:1 HTTP/1.1\r\nhost: x:1\r\n\r\n', false, 'malformed_request'],
  ['a head that is too long', tooLong, false, 'headers_too_large'],
  ['a body that is broken', `${post}zz\r\n`, false, 'malformed_request'],
  ['the begin of a head, and nothing more', 'GET / HT', false, 'request_timeout'],
  ['the begin of a body, and nothing more', `${post}5\r\nabc`, false, 'request_timeout'],
  ['the begin of a head, and the end', 'GET / HT', true, 'malformed_request'],
  ['the begin of a body, and the end', `${post}5\r\nabc`, true, 'malformed_request'],
];

async function served(protocol: string) {
  const { files, ca } = await newCertificate();
  const timeouts = { headers: 1_000, request: 1_500 };
  const api = await oneStore({ timeouts, ...(protocol === 'HTTPS' && { tls: files }) });
  const { companyId, port, seed } = api;
  await seed.credential({ companyId, kind: 'staff', value: 'staff-token', label: 'till' });
  const address = { port, host: '127.0.0.1' };
  const open = (): Socket => {
    const socket = connect({ ...address, allowHalfOpen: true });
    return protocol === 'HTTPS' ? connectSecurely({ ...address, socket, ca: ca.cert }) : socket;
  };
  return { ...api, open };
}

/** Sends bytes and reads until the server ends the connection. */
async function answersTo(socket: Socket, bytes: readonly (string | Buffer)[], ends = false): Promise<string> {
  socket.on('error', () => {});
  socket.write(Buffer.concat(bytes.map((part) => Buffer.from(part))));
  if (ends) socket.end();
  const answers = await text(socket);
  socket.destroy();
  return answers;
}

test.each(['HTTP', 'HTTPS'])(
  'answers a request that is stored before the bytes after it, over %s',
  async (protocol) => {
    const { open, seed } = await served(protocol);
    for (const [index, [what, bytes, ends, code]] of cases.entries()) {
      const answers = await answersTo(open(), [store, bytes], ends);
      expect([what, ...statusesOf(answers).slice(0, 1)]).toEqual([what, 201]);
      expect([what, lastBody(answers)]).toEqual([what, expect.objectContaining({ code })]);
      expect(statusesOf(answers)).toHaveLength(2);
      expect(await seed.query('select from entry')).toHaveLength(index + 1);
    }
  },
);

test.each(['HTTP', 'HTTPS'])(
  'completes an answer that is being written before the bytes after its request, over %s',
  async (protocol) => {
    const api = await served(protocol);
    const day = Date.parse('2026-11-20T08:00:00Z');
    const crossings = Array.from({ length: 20_000 }, (_, index) =>
      new Date(day + 1_000 * index).toISOString(),
    );
    await cross(
      api,
      crossings.map((at, index) => [at, index % 2 ? -1 : 1] as const),
    );
    const form = `CompanyName=Acme&Token=${token}&DateFrom=2026-11-20&DateTo=2026-11-20`;
    const path = '/public/Service.asmx/GetCountsByCompanyAndDatePublic';
    for (const [index, [what, bytes, ends]] of cases.entries()) {
      const encoding = index % 2 ? 'gzip' : 'identity';
      const range = `POST ${path} HTTP/1.1\r\nhost: x\r\naccept-encoding: ${encoding}\r\ncontent-type: application/x-www-form-urlencoded\r\ncontent-length: ${form.length}\r\n\r\n${form}`;
      const answers = await answersTo(api.open(), [range, bytes], ends);
      expect([what, statusesOf(answers)[0]]).toEqual([what, 200]);
      expect([what, answers.includes('\r\n0\r\n\r\nHTTP/1.1 4')]).toEqual([what, true]);
    }
  },
);

test.each(['HTTP', 'HTTPS'])(
  'answers a request that is stored although its caller sends no more, over %s',
  async (protocol) => {
    const { open, seed } = await served(protocol);
    expect(statusesOf(await answersTo(open(), [store], true))).toEqual([201]);
    expect(statusesOf(await answersTo(open(), [store, store], true))).toEqual([201, 201]);
    expect(await seed.query('select from entry')).toHaveLength(3);
  },
);
