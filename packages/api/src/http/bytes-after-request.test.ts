import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { connect as connectSecurely } from 'node:tls';
import { expect, test } from 'vitest';
import { newCertificate } from '../../test/certificate-files.ts';
import { cross, oneStore, token } from '../../test/one-store.ts';
import { statusesOf } from '../../test/raw.ts';

/** A request that stores something, and the head of one that does not fit into what the server reads. */
const entry = JSON.stringify({ store: 'S-1', people: 3, by: 'Kim', at: '2026-11-20T10:15:00Z' });
const head =
  'POST /v1/corrections HTTP/1.1\r\nhost: x\r\nauthorization: staff-token\r\ncontent-type: application/json\r\n';
const store = `${head}content-length: ${entry.length}\r\n\r\n${entry}`;
const tooLong = `GET /live HTTP/1.1\r\nhost: x\r\nx-long: ${'x'.repeat(20_000)}\r\n\r\n`;

/** What follows a request. */
const cases: readonly [what: string, bytes: string | Buffer][] = [
  ['text', 'no request\r\n\r\n'],
  ['a megabyte of text', 'x'.repeat(1_000_000)],
  ['bytes of a body that is longer than it says', '"}'],
  ['a handshake of TLS', Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01])],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['a method that does not exist', 'FETCH / HTTP/1.1\r\nhost: x\r\n\r\n'],
  ['a head that is too long', tooLong],
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
async function answersTo(socket: Socket, bytes: readonly (string | Buffer)[]): Promise<string> {
  socket.on('error', () => {});
  socket.write(Buffer.concat(bytes.map((part) => Buffer.from(part))));
  const answers = await text(socket);
  socket.destroy();
  return answers;
}

test.each(['HTTP', 'HTTPS'])(
  'answers a request that is stored whatever bytes follow it, over %s',
  async (protocol) => {
    const { open, seed } = await served(protocol);
    for (const [index, [what, bytes]] of cases.entries()) {
      const answers = await answersTo(open(), [store, bytes]);
      expect([what, ...statusesOf(answers).slice(0, 1)]).toEqual([what, 201]);
      expect(await seed.query('select from entry')).toHaveLength(index + 1);
    }
  },
);

test.each(['HTTP', 'HTTPS'])(
  'completes an answer that is being written whatever bytes follow its request, over %s',
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
    for (const [index, [what, bytes]] of cases.entries()) {
      const encoding = index % 2 ? 'gzip' : 'identity';
      const range = `POST ${path} HTTP/1.1\r\nhost: x\r\naccept-encoding: ${encoding}\r\ncontent-type: application/x-www-form-urlencoded\r\ncontent-length: ${form.length}\r\n\r\n${form}`;
      const answers = await answersTo(api.open(), [range, bytes]);
      expect([what, statusesOf(answers)[0]]).toEqual([what, 200]);
      expect([what, answers.includes('\r\n0\r\n\r\n')]).toEqual([what, true]);
    }
  },
);
