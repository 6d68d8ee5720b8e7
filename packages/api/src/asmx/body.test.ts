import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { answerTo } from '../../test/api-under-test.ts';
import { credentials, oneStore } from '../../test/one-store.ts';

const today = 'GetAllCountsByCompanyForTodayPublic';

async function poster(operation = today) {
  const api = await oneStore();
  const send = (contentType: string | undefined, body: string | Blob | null) =>
    answerTo(api.url(operation), {
      method: 'POST',
      body,
      headers: contentType === undefined ? {} : { 'content-type': contentType },
    });
  return { api, send };
}

test('accepts forms and JSON with the same names, with and without a charset parameter', async () => {
  const { send } = await poster();
  const form = new URLSearchParams(credentials).toString();
  const object = JSON.stringify(credentials);
  for (const type of ['', '; charset=utf-8', '; charset="UTF-8"', ';charset=utf8']) {
    expect((await send(`application/x-www-form-urlencoded${type}`, form)).status).toBe(200);
    expect((await send(`application/json${type}`, object)).status).toBe(200);
  }
});

test('compares names without case and ignores unknown ones, even repeated', async () => {
  const { send } = await poster();
  const type = 'application/x-www-form-urlencoded';
  expect((await send(type, 'companyname=Acme&TOKEN=acme-counts-token&x=1&x=2&In=1&In=2&=')).status).toBe(200);
  const object = '{"COMPANYNAME":"Acme","token":"acme-counts-token","x":[1],"x":{},"DateFrom":5}';
  expect((await send('application/json', object)).status).toBe(200);
});

test('rejects a repeated known name in any case, in forms and in JSON', async () => {
  const { send } = await poster();
  const bodies: [type: string, body: string][] = [
    ['application/x-www-form-urlencoded', 'CompanyName=Acme&Token=a&Token=a'],
    ['application/x-www-form-urlencoded', 'CompanyName=Acme&Token=a&tOKEN='],
    ['application/json', '{"CompanyName":"Acme","Token":"a","token":"a"}'],
    ['application/json', '{"CompanyName":"Acme","Token":"a","Token":"a"}'],
    ['application/json', '{"CompanyName":"Acme","Token":null,"\\u0054oken":"a"}'],
  ];
  for (const [type, body] of bodies) {
    const answer = await send(type, body);
    expect(answer.status, body).toBe(400);
    expect(answer.body).toMatchObject({ status: 400, code: 'duplicate_parameter', parameter: 'Token' });
  }
});

test('rejects JSON that is not an object, and bodies that are not JSON', async () => {
  const { send } = await poster();
  for (const body of ['[]', '"x"', '3', 'null', '{"a":', 'CompanyName=Acme']) {
    const answer = await send('application/json', body);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ status: 400, code: 'malformed_body' });
  }
});

test('rejects JSON values of a wrong type and names the parameter', async () => {
  const { send } = await poster('GetCountsByCompanyAndDatePublic');
  const range = { DateFrom: '2026-11-20', DateTo: '2026-11-20' };
  for (const [name, value] of [
    ['CompanyName', 5],
    ['Token', ['a']],
    ['DateFrom', {}],
    ['DateTo', true],
    ['In', 2],
    ['In', [1]],
    ['SerialNumber', 7],
  ] as const) {
    const answer = await send(
      'application/json',
      JSON.stringify({ ...credentials, ...range, [name]: value }),
    );
    expect(answer.body).toMatchObject({ status: 400, code: 'invalid_parameter', parameter: name });
  }
});

test('accepts In in JSON as a boolean, 1 or 0, a string of these, or null', async () => {
  const { send } = await poster('GetCountsByCompanyAndDatePublic');
  const range = { DateFrom: '2026-11-20', DateTo: '2026-11-20' };
  for (const In of [1, 0, true, false, 'TRUE', null]) {
    const body = JSON.stringify({ ...credentials, ...range, In, SerialNumber: '' });
    expect((await send('application/json', body)).status).toBe(200);
  }
});

test('rejects other content types and charsets', async () => {
  const { send } = await poster();
  for (const type of [
    'text/plain',
    'multipart/form-data; boundary=x',
    'application/xml',
    'application/jsonx',
    'nonsense',
    'application/json; charset=utf-16',
    'application/x-www-form-urlencoded; charset=iso-8859-1',
  ]) {
    const answer = await send(type, 'Token=a');
    expect(answer.status, type).toBe(415);
    expect(answer.body).toMatchObject({ status: 415, code: 'unsupported_media_type' });
  }
});

test('accepts a body of 64 KiB and no byte more, with a length or in chunks', async () => {
  const { send } = await poster();
  const type = 'application/x-www-form-urlencoded';
  const form = `${new URLSearchParams(credentials)}&x=`.padEnd(64 * 1024, 'x');
  expect((await send(type, form)).status).toBe(200);
  for (const body of [`${form}x`, new Blob([form, 'x'])]) {
    const answer = await send(type, body);
    expect(answer.status).toBe(413);
    expect(answer.body).toMatchObject({ status: 413, code: 'payload_too_large' });
  }
});

test('accepts any text in any normal form, and rejects control characters and lone surrogates', async () => {
  const { api, send } = await poster('GetCountsByShopGroupAndDatePublic');
  await api.seed.shopGroup(api.companyId, 'Café Größe', [api.storeId]);
  const fields = { ...credentials, DateFrom: '2026-11-20', DateTo: '2026-11-20' };
  const ask = (ShopGroupName: string) =>
    send('application/json', JSON.stringify({ ...fields, ShopGroupName }));

  expect((await ask('  cafe\u0301 GRÖSSE\t')).status).toBe(200);
  for (const text of ['Caf\0', 'Caf\uD800', 'Ca\tfé', 'Ca\u0085fé'])
    expect((await ask(text)).body).toMatchObject({
      code: 'invalid_parameter',
      parameter: 'ShopGroupName',
      detail: `ShopGroupName is ${JSON.stringify(text)}, and must be well-formed text without control characters.`,
    });
  expect(
    (await send('application/json', JSON.stringify({ ...fields, CompanyName: 'Ac\tme' }))).body,
  ).toMatchObject({
    parameter: 'CompanyName',
  });
  await api.seed.shopGroup(api.companyId, 'Caf\uFFFD', [api.storeId]);
  expect((await ask('Caf\uFFFD')).status).toBe(200);
  const form = new URLSearchParams({ ...fields, ShopGroupName: 'Caf\uFFFD' });
  expect((await send('application/x-www-form-urlencoded', `${form}&x=100%&y=%zz`)).status).toBe(200);
});

test('rejects a form that is not UTF-8, before it checks the credential', async () => {
  const { send } = await poster();
  const latin1 = new Blob([Buffer.from('CompanyName=Caf\xE9&Token=x', 'latin1')]);
  for (const body of [latin1, 'CompanyName=Caf%E9&Token=x', 'CompanyName=%ED%A0%80', '%C3=%A9']) {
    const answer = await send('application/x-www-form-urlencoded', body);
    expect(answer.body).toMatchObject({ code: 'malformed_body', detail: 'The body must be UTF-8.' });
  }
});

test('answers invalid HTTP, too long headers and slow requests with their statuses', async () => {
  const api = await oneStore();
  const impatient = await oneStore({ timeouts: { headers: 200, request: 400 } });
  const long = `POST / HTTP/1.1\r\nhost: x\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`;
  const head = `POST /public/Service.asmx/${today} HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\ncontent-type: application/json\r\n`;
  /** The status of the answer to bytes on a socket of their own. */
  const statusOf = async (port: number, bytes: string) => {
    const socket = connect(port, '127.0.0.1');
    socket.write(bytes);
    return /^HTTP\/1\.1 (\d{3})/.exec(await text(socket))?.[1];
  };
  expect(await statusOf(api.port, 'NONSENSE\r\n\r\n')).toBe('400');
  expect(await statusOf(api.port, long)).toBe('431');
  expect(await statusOf(impatient.port, 'POST / HTTP/1.1\r\n')).toBe('408');
  expect(await statusOf(impatient.port, `${head}\r\n{`)).toBe('408');
});
