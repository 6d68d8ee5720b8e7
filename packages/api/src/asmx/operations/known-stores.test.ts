import { projected } from '@visitor-counter/test/projected';
import { expect, test } from 'vitest';
import { credentials, cross, oneStore } from '../../../test/one-store.ts';

const today = 'GetAllCountsByCompanyForTodayPublic';

test('answers with the current stores, whatever changed since the last answer', async () => {
  const api = await oneStore({ now: () => Date.parse('2026-11-20T12:00:00+01:00') });
  const { companyId, seed } = api;
  await cross(api, [['2026-11-20T02:00:00.000+01:00', 1]]);
  const names = async () => {
    const { body } = await api.post(today, credentials);
    return Array.isArray(body) ? body.map(({ StoreName }) => StoreName) : body;
  };
  expect(await names()).toEqual(['Main Door']);

  await seed.store({ companyId, sid: 'S-2', name: 'Annex' });
  expect(await names()).toEqual(['Annex', 'Main Door']);
  await seed.query(`update store set name = 'Back Door' where sid = 'S-1'`, []);
  expect(await names()).toEqual(['Annex', 'Back Door']);
  await seed.query(`delete from store where sid = 'S-2'`, []);
  expect(await names()).toEqual(['Back Door']);

  await seed.query(`update store set day_starts_at = '04:00'`, []);
  await projected(api.databaseUrl);
  const { body } = await api.post(today, credentials);
  expect(body).toEqual([{ DateTime: '2026-11-20T04:00:00.000+01:00', StoreName: 'Back Door', Amount: 0 }]);
});
