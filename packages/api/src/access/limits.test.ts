import { expect, test } from 'vitest';
import { type Answer, answerTo, apiUnderTest } from '../../test/api-under-test.ts';
import { credentials, lifeSignalKey, oneStore, token } from '../../test/one-store.ts';

const today = 'GetAllCountsByCompanyForTodayPublic';

/** With it no budget is refilled, however long a test takes. */
const startedAt = Date.now();
const stoppedClock = () => startedAt;

function signIn(port: number): Promise<Answer> {
  return answerTo(`http://127.0.0.1:${port}/v1/session`, {
    method: 'POST',
    body: JSON.stringify({ token: 'staff-token' }),
    headers: { 'content-type': 'application/json', 'x-requested-with': 'test' },
  });
}

test('rejects wrong credentials from an address that failed too often, and still serves right ones', async () => {
  let now = Date.parse('2026-11-20T10:00:00Z');
  const api = await oneStore({ now: () => now, limits: { failuresPerMinute: 3 } });
  const guess = (Token: string) => api.post(today, { CompanyName: 'Acme', Token });
  for (let count = 0; count < 3; count += 1) expect((await guess(`guess-${count}`)).status).toBe(400);

  const refused = await guess('another');
  expect(refused.status).toBe(429);
  expect(refused.headers.get('retry-after')).toBe('20');
  expect(refused.body).toMatchObject({ status: 429, code: 'too_many_failures' });
  expect((await api.post(today, credentials)).status).toBe(200);
  now += 20_000;
  expect((await guess('another')).status).toBe(400);
});

test('serves right credentials of every kind while another caller at the same address guesses', async () => {
  const before = await oneStore();
  await before.seed.credential({ companyId: before.companyId, kind: 'staff', value: 'staff-token' });
  const session = await signIn(before.port);
  const cookie = session.headers.get('set-cookie')?.split(';')[0] ?? '';
  /* An api that has just started: it has no known callers. */
  const { databaseUrl } = before;
  const api = await apiUnderTest({ databaseUrl, now: stoppedClock, limits: { failuresPerMinute: 3 } });
  const guessing = new AbortController();
  const guessers = Array.from({ length: 20 }, async (_, guesser) => {
    const codes = new Set<unknown>();
    for (let count = 0; !guessing.signal.aborted; count += 1) {
      const { body } = await api.post(today, { ...credentials, Token: `guess ${guesser} ${count}` });
      codes.add(Object(body).code);
    }
    return codes;
  });
  const get = (headers: Readonly<Record<string, string>>) =>
    answerTo(`http://127.0.0.1:${api.port}/v1/stores`, { headers });
  const lifeSignal = { CompanyName: 'Acme', InactiveForHours: '1' };

  for (let round = 0; round < 5; round += 1) {
    expect((await api.post(today, credentials)).status).toBe(200);
    expect((await get({ authorization: token })).status).toBe(200);
    expect((await get({ cookie })).status).toBe(200);
    expect((await signIn(api.port)).status).toBe(201);
    const inactive = await api.post('GetLifeSignalInactive', lifeSignal, { authorization: lifeSignalKey });
    expect(inactive.status).toBe(200);
  }
  guessing.abort();
  for (const codes of await Promise.all(guessers)) {
    expect(
      [...codes].filter((code) => code !== 'too_many_failures' && code !== 'invalid_credential'),
    ).toEqual([]);
  }
});

test('answers a right credential for the wrong company like a wrong one, and serves it for its own company', async () => {
  const api = await oneStore({ now: stoppedClock, limits: { failuresPerMinute: 3 } });
  await api.seed.company('Other');
  const ask = async (CompanyName: string) => (await api.post(today, { ...credentials, CompanyName })).body;
  for (let count = 0; count < 3; count += 1) {
    expect(await ask('Other')).toMatchObject({ code: 'invalid_credential' });
  }
  const refused = await ask('Other');
  expect(refused).toMatchObject({ code: 'too_many_failures' });
  expect(await ask('Nobody')).toEqual(refused);
  expect(await ask('Acme')).toEqual([expect.objectContaining({ StoreName: 'Main Door' })]);
});

test('limits each credential without affecting others', async () => {
  let now = Date.parse('2026-11-20T10:00:00Z');
  const api = await oneStore({ now: () => now, limits: { requestsPerMinute: 2 } });
  const ask = () => api.post(today, credentials);
  expect([(await ask()).status, (await ask()).status]).toEqual([200, 200]);

  const refused = await ask();
  expect(refused.status).toBe(429);
  expect(refused.headers.get('retry-after')).toBe('30');
  expect(refused.body).toMatchObject({ status: 429, code: 'too_many_requests' });
  const fields = { CompanyName: 'Acme', InactiveForHours: '1' };
  const other = await api.post('GetLifeSignalInactive', fields, { authorization: lifeSignalKey });
  expect(other.status).toBe(200);
  now += 30_000;
  expect((await ask()).status).toBe(200);
});
