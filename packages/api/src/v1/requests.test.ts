import { expect, test } from 'vitest';
import { berlinStore, now } from '../../test/berlin-store.ts';
import { token } from '../../test/one-store.ts';

test('names the invalid parameter and the expected value', async () => {
  const { ask } = await berlinStore();
  const wrong = {
    '/v1/counts?bucket=minute': 'bucket',
    '/v1/counts?from=2026-02-30': 'from',
    '/v1/counts?from=2026-11-20&to=2026-11-19': 'from',
    '/v1/stores?limit=0': 'limit',
    '/v1/stores?limit=x': 'limit',
    '/v1/crossings?after=x': 'after',
    '/v1/corrections?after=%00': 'after',
    '/v1/stores/%00': 'sid',
  };
  for (const [path, parameter] of Object.entries(wrong)) {
    expect((await ask(path)).body).toMatchObject({ status: 400, code: 'invalid_parameter', parameter });
  }
  expect((await ask('/v1/stores?limit=1&limit=2')).body).toMatchObject({ code: 'duplicate_parameter' });
  expect((await ask('/v1/counts?from=1990-01-01&bucket=15min')).body).toMatchObject({
    code: 'range_too_large',
  });
  expect((await ask('/v1/nothing')).status).toBe(404);
  expect((await ask('/v1/stores', token, { method: 'POST' })).headers.get('allow')).toBe('GET, HEAD');
});

test('refuses days before 1970 and after 9999-12-30 wherever a query has days', async () => {
  const { ask } = await berlinStore();
  const paths = [
    'counts',
    'visitors',
    'visitors/week',
    'visitors/doors',
    'visitors/stores',
    'sales',
    'corrections',
    'staff-passages',
  ];
  const storeOf = (path: string) => (path === 'visitors/stores' ? '' : 'store=S-1&');
  const days = ['0000-01-01', '0001-01-01', '1969-12-31', '9999-12-31'];
  for (const path of paths)
    for (const date of days)
      for (const name of ['from', 'to'])
        expect([path, (await ask(`/v1/${path}?${storeOf(path)}${name}=${date}`)).body]).toMatchObject([
          path,
          {
            code: 'invalid_parameter',
            parameter: name,
            detail: `${name} is "${date}", and must be a date that exists, YYYY-MM-DD, from 1970-01-01 to 9999-12-30.`,
          },
        ]);
  for (const date of ['1970-01-01', '9999-12-30'])
    for (const compare of ['week', 'previous', 'previous-year', 'weekdays', 'year'])
      for (const path of paths.filter((one) => (one === 'counts') === (compare === 'week'))) {
        const compared = /^(counts|visitors(?!\/week).*)$/.test(path) ? `&compare=${compare}` : '';
        const { status } = await ask(`/v1/${path}?${storeOf(path)}from=${date}&to=${date}${compared}`);
        expect([path, date, compare, status]).toEqual([path, date, compare, 200]);
      }
});

test('continues with crossings where the last answer ended', async () => {
  const { ask } = await berlinStore();
  const first = Object((await ask('/v1/crossings?limit=6')).body);
  const second = Object((await ask(`/v1/crossings?after=${first.next}`)).body);
  expect([first.items.length, first.more, second.items.length, second.more]).toEqual([6, true, 1, false]);
  expect(second.items[0]).toEqual({
    store: 'S-1',
    device: 'CU-0001',
    journal: 'journal-a',
    sequence: 7,
    direction: 'in',
    at: '2026-11-20T11:10:00.000+01:00',
    uncertaintyMs: null,
  });
  expect(Object((await ask(`/v1/crossings?after=${second.next}`)).body).items).toEqual([]);
});

test('names the parameter that has a control character, and accepts notes of several lines', async () => {
  const { ask, send } = await berlinStore();
  const problem = (parameter: string, shown: string) => ({
    code: 'invalid_parameter',
    parameter,
    detail: `${parameter} is ${shown}, and must be well-formed text without control characters.`,
  });
  expect((await ask('/v1/counts?store=S%091')).body).toMatchObject(problem('store', '"S\\t1"'));
  expect((await ask('/v1/counts?group=We%0Ast')).body).toMatchObject(problem('group', '"We\\nst"'));
  expect((await ask('/v1/live?store=S-1&store=S%7F1')).body).toMatchObject({ parameter: 'store' });
  const undo = await send('/v1/corrections/1%091/undo', { by: 'Kim' });
  expect(undo.body).toMatchObject(problem('id', '"1\\t1"'));
  const correction = { store: 'S-1', people: 1, by: 'Kim' };
  const at = (field: string) => send('/v1/corrections', { ...correction, [field]: 'a\tb' });
  for (const field of ['store', 'by', 'id'])
    expect((await at(field)).body).toMatchObject(problem(field, '"a\\tb"'));
  const note = 'counted twice:\r\n\tonce by Lee';
  expect((await send('/v1/corrections', { ...correction, note })).body).toMatchObject({ note });
});

test('does not repeat credentials in errors', async () => {
  const { ask, url } = await berlinStore();
  const post = (path: string, body: object) =>
    ask(path, token, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', 'x-requested-with': 'test' },
    });
  const operation = new URL(url('GetAllCountsByCompanyForTodayPublic')).pathname;
  const hidden = 4_815_162_342;
  const secretHash = String(hidden);
  for (const answer of [
    await post(operation, { CompanyName: 'Acme', Token: hidden }),
    await post(operation, { CompanyName: 'Acme', Token: `${hidden}\0` }),
    await post('/v1/session', { token: hidden }),
    await post('/v1/session', { token: `${hidden}\0` }),
    await post('/v1/enrolment', { code: String(hidden), serial: 'CU-9', secretHash }),
    await post('/v1/enrolment', { code: String(hidden), serial: 'CU-9', secretHash: 'a'.repeat(64) }),
    await post('/v1/enrolment', { code: `${hidden}\0`, serial: 'CU-9', secretHash }),
  ]) {
    expect(answer.body).toMatchObject({ code: 'invalid_parameter' });
    expect(answer.text).not.toContain(secretHash);
  }
});

test('refuses JSON that is not UTF-8 or has a name twice, and other media types', async () => {
  const { ask } = await berlinStore();
  const send = async (body: string | Buffer<ArrayBuffer>, type = 'application/json', path = 'corrections') =>
    (
      await ask(`/v1/${path}`, 'staff-token', {
        method: 'POST',
        body,
        headers: { 'content-type': type },
      })
    ).body;
  const correction = '"store":"S-1","people":1,"by":"Kim"';

  expect(await send(`\uFEFF{${correction}}`)).toMatchObject({ people: 1 });
  expect(await send(Buffer.from(`{${correction},"note":"\u00FC"}`, 'latin1'))).toMatchObject({
    code: 'malformed_body',
  });
  expect(await send(`{${correction},"people":2}`)).toMatchObject({
    code: 'duplicate_parameter',
    parameter: 'people',
  });
  expect(await send(correction, 'text/plain')).toMatchObject({
    code: 'unsupported_media_type',
    detail: 'A request body is application/json, in UTF-8.',
  });
  expect(await send(correction, 'text/plain', 'sales')).toMatchObject({
    detail: 'A request body is application/json or text/csv, in UTF-8.',
  });
  expect(await send(correction, 'application/json; charset=latin1')).toMatchObject({
    code: 'unsupported_media_type',
    detail: 'The charset of the request body is "latin1", and must be utf-8.',
  });
  expect((await ask('/v1/corrections')).body).toMatchObject({ items: [{ people: 1 }] });
});

test('writes lists as CSV, with the next page in the Link header', async () => {
  const { ask } = await berlinStore();
  const { text, headers } = await ask('/v1/crossings?limit=1', token, { headers: { accept: 'text/csv' } });
  expect(text).toBe(
    'store,device,journal,sequence,at,direction,uncertaintyMs\r\n' +
      'S-1,CU-0001,journal-a,1,2026-11-13T09:05:00.000+01:00,in,\r\n',
  );
  expect(headers.get('link')).toMatch(/^<\/v1\/crossings\?limit=1&after=[\da-f.]+>; rel="next"$/);
});

test('requires a credential of the right kind', async () => {
  const { ask, seed, companyId } = await berlinStore();
  await seed.credential({ companyId, kind: 'counts', value: 'over', expiresAt: now });
  const statuses = async (credential: string) =>
    Promise.all(
      ['stores', 'devices', 'occupancy', 'counts', 'crossings', 'corrections', 'session'].map(
        async (path) => (await ask(`/v1/${path}`, credential)).status,
      ),
    );
  expect(await statuses(token)).toEqual([200, 200, 200, 200, 200, 200, 200]);
  expect(await statuses('staff-token')).toEqual([200, 200, 200, 200, 200, 200, 200]);
  expect(await statuses('acme-life-signal-key')).toEqual([200, 200, 403, 403, 403, 403, 200]);
  expect(await statuses('nonsense')).toEqual([401, 401, 401, 401, 401, 401, 401]);
  expect(await statuses('')).toEqual([401, 401, 401, 401, 401, 401, 401]);
  expect(await statuses('over')).toEqual([401, 401, 401, 401, 401, 401, 401]);
});
