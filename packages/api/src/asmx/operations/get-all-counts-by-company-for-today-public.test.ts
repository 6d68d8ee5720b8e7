import { expect, test } from 'vitest';
import { credentials, cross, oneStore } from '../../../test/one-store.ts';

const today = 'GetAllCountsByCompanyForTodayPublic';

test('returns one record per store: its occupancy and its latest event today, or the start of its day', async () => {
  const api = await oneStore({ now: () => Date.parse('2026-11-20T12:00:00.000+01:00') });
  const { companyId, seed } = api;
  await seed.store({
    companyId,
    sid: 'S-2',
    name: 'Annex',
    timeZone: 'America/Los_Angeles',
    dayStartsAt: '04:00',
  });
  await seed.store({ companyId, sid: 'S-3', name: 'annex', timeZone: 'Asia/Tokyo' });
  await cross(api, [
    ['2026-11-19T23:59:59.999+01:00', 1],
    ['2026-11-20T00:00:00.000+01:00', -1],
    ['2026-11-20T08:00:00.000+01:00', 1],
    ['2026-11-20T09:00:00.000+01:00', 1],
    ['2026-11-20T12:00:00.000+01:00', -1],
  ]);

  const { body, text } = await api.post(today, credentials);

  expect(body).toEqual([
    { DateTime: '2026-11-19T04:00:00.000-08:00', StoreName: 'Annex', Amount: 0 },
    { DateTime: '2026-11-20T12:00:00.000+01:00', StoreName: 'Main Door', Amount: 1 },
    { DateTime: '2026-11-20T00:00:00.000+09:00', StoreName: 'annex', Amount: 0 },
  ]);
  expect(text).toMatch(/^\[\{"DateTime":".*","StoreName":"Annex","Amount":0\},/);
});

test('does not count an event in the future', async () => {
  let now = Date.parse('2026-11-20T12:00:00+01:00');
  const api = await oneStore({ now: () => now });
  await cross(api, [
    ['2026-11-20T11:00:00.000+01:00', 1],
    ['2026-11-20T12:00:00.001+01:00', 1],
  ]);
  const ask = async () => (await api.post(today, credentials)).body;

  expect(await ask()).toMatchObject([{ DateTime: '2026-11-20T11:00:00.000+01:00', Amount: 1 }]);
  now += 1;
  expect(await ask()).toMatchObject([{ DateTime: '2026-11-20T12:00:00.001+01:00', Amount: 2 }]);
});

test('starts at 0 with the business day', async () => {
  let now = Date.parse('2026-11-21T03:59:59.999+01:00');
  const api = await oneStore({ now: () => now, dayStartsAt: '04:00' });
  await cross(api, [['2026-11-20T22:00:00+01:00', 1]]);
  const ask = async () => (await api.post(today, credentials)).body;

  expect(await ask()).toMatchObject([{ DateTime: '2026-11-20T22:00:00.000+01:00', Amount: 1 }]);
  now += 1;
  expect(await ask()).toMatchObject([{ DateTime: '2026-11-21T04:00:00.000+01:00', Amount: 0 }]);
});
