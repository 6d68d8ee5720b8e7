import { expect, test } from 'vitest';
import { credentials, lifeSignalKey, oneStore } from '../testing/one-store.ts';

const today = 'GetAllCountsByCompanyForTodayPublic';

test('looks at no more credentials of an address that failed too often, right or wrong', async () => {
  let now = Date.parse('2026-11-20T10:00:00Z');
  const api = await oneStore({ now: () => now, limits: { failuresPerMinute: 3 } });
  const guess = (Token: string) => api.post(today, { CompanyName: 'Acme', Token });
  for (let count = 0; count < 3; count += 1) expect((await guess(`guess-${count}`)).status).toBe(400);

  const refused = [await guess('another'), await api.post(today, credentials)];
  for (const answer of refused) {
    expect(answer.status).toBe(429);
    expect(answer.headers.get('retry-after')).toBe('20');
    expect(answer.body).toMatchObject({ status: 429, code: 'too_many_failures' });
  }
  now += 20_000;
  expect((await api.post(today, credentials)).status).toBe(200);
});

test('looks at no more of them when all come at once, and at all that are right', async () => {
  const api = await oneStore({ limits: { failuresPerMinute: 3 } });
  const all = (fields: (index: number) => Record<string, string>) =>
    Promise.all(Array.from({ length: 40 }, (_, index) => api.post(today, fields(index))));

  const right = await all(() => credentials);
  const wrong = await all((index) => ({ ...credentials, Token: `guess-${index}` }));

  expect(right.filter(({ status }) => status === 200)).toHaveLength(40);
  expect(wrong.filter(({ status }) => status === 400)).toHaveLength(3);
  expect(wrong.filter(({ status }) => status === 429)).toHaveLength(37);
});

test('serves a credential that was right at its address, however often others fail there', async () => {
  const api = await oneStore({ limits: { failuresPerMinute: 2 } });
  expect((await api.post(today, credentials)).status).toBe(200);
  for (let count = 0; count < 4; count += 1) {
    await api.post(today, { CompanyName: 'Acme', Token: `guess-${count}` });
  }
  expect((await api.post(today, { CompanyName: 'Acme', Token: 'guess' })).status).toBe(429);
  expect((await api.post(today, credentials)).status).toBe(200);
});

test('serves each credential as often as it may, and no other less for that', async () => {
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
