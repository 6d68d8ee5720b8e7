import { expect, test } from 'vitest';
import { answerTo, apiUnderTest } from '../../test/api-under-test.ts';
import { oneStore, token } from '../../test/one-store.ts';

const day = 86_400_000;

/** A store with a staff credential, a clock, and a simple browser that stores the cookie. */
async function page() {
  const clock = { now: Date.parse('2026-11-20T10:00:00Z') };
  const api = await oneStore({ now: () => clock.now });
  await api.seed.credential({ companyId: api.companyId, kind: 'staff', value: 'staff-token', label: 'till' });
  let cookie = '';
  const call = async (method: string, path: string, init: { body?: unknown; headers?: object } = {}) => {
    const { body, headers } = init;
    const answer = await answerTo(`http://127.0.0.1:${api.port}${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      headers: {
        ...(cookie === '' ? {} : { cookie }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(headers ?? { 'x-requested-with': 'test' }),
      },
    });
    cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? cookie;
    return answer;
  };
  const signIn = (given = 'staff-token') => call('POST', '/v1/session', { body: { token: given } });
  return { ...api, clock, call, signIn };
}

test('a staff credential signs in, and the session has its rights', async () => {
  const { call, signIn } = await page();
  expect((await call('GET', '/v1/occupancy')).status).toBe(401);

  const signedIn = await signIn();
  expect(signedIn.status).toBe(201);
  expect(signedIn.headers.get('set-cookie')).toMatch(
    /^visitor-counter=[\w-]{32}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=2592000$/,
  );
  const me = {
    company: 'Acme',
    kind: 'staff',
    label: 'till',
    settings: false,
    expiresAt: null,
    stores: null,
  };
  expect(signedIn.body).toEqual({ ...me, session: { expiresAt: '2026-12-20T10:00:00.000Z' } });
  expect((await call('GET', '/v1/session')).body).toMatchObject(me);
  expect((await call('GET', '/v1/occupancy')).status).toBe(200);
  const correction = { store: 'S-1', people: 4, by: 'Kim' };
  expect((await call('POST', '/v1/corrections', { body: correction })).status).toBe(201);
});

test('no other kind of credential signs in', async () => {
  const { signIn } = await page();
  expect((await signIn(token)).body).toMatchObject({ status: 403, code: 'forbidden' });
  expect((await signIn('nonsense')).body).toMatchObject({ status: 401, code: 'unauthenticated' });
});

test('a request that another site could make a browser send changes nothing', async () => {
  const { call, signIn, seed } = await page();
  await signIn();
  const body = { store: 'S-1', people: 4, by: 'Kim' };
  const refused = { status: 403, code: 'cross_site_request' };
  expect((await call('POST', '/v1/corrections', { body, headers: {} })).body).toMatchObject(refused);
  expect((await call('DELETE', '/v1/session', { headers: {} })).body).toMatchObject(refused);
  const signingIn = await call('POST', '/v1/session', { body: { token: 'staff-token' }, headers: {} });
  expect(signingIn.body).toMatchObject(refused);
  const form = { 'x-requested-with': 'test', 'content-type': 'text/plain' };
  expect((await call('POST', '/v1/corrections', { body, headers: form })).status).toBe(415);
  expect(await seed.query('select from entry')).toEqual([]);
});

test('over TLS accepts only the cookie with the __Host- prefix, and sends HSTS', async () => {
  const { port, signIn, databaseUrl, clock } = await page();
  const [value = ''] = /(?<==)[^;]+/.exec((await signIn()).headers.get('set-cookie') ?? '') ?? [];
  const behindProxy = await apiUnderTest({
    databaseUrl,
    now: () => clock.now,
    trustedProxies: ['loopback'],
  });
  const ask = async (name: string, from: number, headers: object = {}) => {
    const cookie = { cookie: `${name}=${value}`, ...headers };
    const answer = await answerTo(`http://127.0.0.1:${from}/v1/session`, { headers: cookie });
    return [answer.status, answer.headers.get('strict-transport-security')];
  };
  const [plain, host] = ['visitor-counter', '__Host-visitor-counter'];
  const https = { 'x-forwarded-proto': 'https' };

  expect(await ask(plain, port)).toEqual([200, null]);
  expect(await ask(plain, behindProxy.port, https)).toEqual([401, 'max-age=31536000']);
  expect(await ask(`a=b; ${plain}`, behindProxy.port, https)).toEqual([401, 'max-age=31536000']);
  expect(await ask(host, behindProxy.port, https)).toEqual([200, 'max-age=31536000']);
  expect(await ask(plain, behindProxy.port, { 'x-forwarded-proto': 'http' })).toEqual([200, null]);
});

test('a session is valid on every api of the database, and ends on all of them at sign-out', async () => {
  const { call, signIn, databaseUrl, clock } = await page();
  const cookie = (await signIn()).headers.get('set-cookie')?.split(';')[0] ?? '';
  const other = await apiUnderTest({ databaseUrl, now: () => clock.now });
  const elsewhere = async () =>
    (await answerTo(`http://127.0.0.1:${other.port}/v1/session`, { headers: { cookie } })).status;

  expect(await elsewhere()).toBe(200);
  const { headers, status } = await call('DELETE', '/v1/session');
  expect([status, headers.get('set-cookie')]).toEqual([204, expect.stringContaining('Max-Age=0')]);
  expect(await elsewhere()).toBe(401);
});

test('a session ends with its credential, and 30 days after its last use', async () => {
  const { call, signIn, seed, clock } = await page();
  const status = async () => (await call('GET', '/v1/session')).status;
  await signIn();
  /* It is extended at most once a day. */
  clock.now += day - 1;
  expect((await call('GET', '/v1/session')).headers.has('set-cookie')).toBe(false);
  for (let days = 0; days < 60; days += 20) {
    clock.now += 20 * day;
    const answer = await call('GET', '/v1/session');
    expect([answer.status, answer.headers.get('set-cookie')]).toEqual([
      200,
      expect.stringContaining('Max-Age=2592000'),
    ]);
  }
  clock.now += 30 * day;
  expect(await status()).toBe(401);

  await signIn();
  expect(await status()).toBe(200);
  await seed.query('update credential set revoked_at = now()');
  expect(await status()).toBe(401);
});

test('ends a session 180 days after it began, however often it is used', async () => {
  const { call, signIn, clock } = await page();
  await signIn();
  for (let days = 0; days < 160; days += 20) {
    clock.now += 20 * day;
    expect((await call('GET', '/v1/session')).status).toBe(200);
  }
  clock.now += 15 * day;
  const last = await call('GET', '/v1/session');
  expect(last.body).toMatchObject({ session: { expiresAt: '2027-05-19T10:00:00.000Z' } });
  clock.now += 5 * day;
  expect((await call('GET', '/v1/session')).status).toBe(401);
});

test('signs in without TLS only from this machine, unless a setting allows it', async () => {
  const { port, databaseUrl } = await page();
  const statusOf = async (from: number, headers: Readonly<Record<string, string>> = {}) => {
    const answer = await answerTo(`http://127.0.0.1:${from}/v1/session`, {
      method: 'POST',
      body: JSON.stringify({ token: 'staff-token' }),
      headers: { 'content-type': 'application/json', 'x-requested-with': 'test', ...headers },
    });
    return [answer.status, Object(answer.body).code];
  };
  const forwarded = { 'x-forwarded-for': '192.0.2.1' };
  const refused = [403, 'insecure_request'];
  expect(await statusOf(port)).toEqual([201, undefined]);
  expect(await statusOf(port, forwarded)).toEqual(refused);
  expect(await statusOf(port, { ...forwarded, 'x-forwarded-proto': 'https' })).toEqual([201, undefined]);
  const options = { databaseUrl, trustedProxies: ['loopback'] };
  const behindProxy = await apiUnderTest(options);
  expect(await statusOf(behindProxy.port, forwarded)).toEqual(refused);
  expect(await statusOf(behindProxy.port, { ...forwarded, 'x-forwarded-proto': 'http' })).toEqual(refused);
  const allowed = await apiUnderTest({ ...options, plainSignIn: true });
  expect(await statusOf(allowed.port, forwarded)).toEqual([201, undefined]);
});

test('stores nothing from which a cookie could be made', async () => {
  const { signIn, seed } = await page();
  const [cookie = ''] = /(?<==)[^;]+/.exec((await signIn()).headers.get('set-cookie') ?? '') ?? [];
  const [row] = await seed.query('select row_to_json(session)::text as row from session');
  expect(cookie).toHaveLength(32);
  expect(String(row?.['row'])).not.toContain(cookie);
  expect(String(row?.['row'])).not.toContain(Buffer.from(cookie).toString('hex'));
});
