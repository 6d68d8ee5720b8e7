import { expect, test } from 'vitest';
import { credentials, cross, oneStore } from '../testing/one-store.ts';

const day = { ...credentials, DateFrom: '2026-11-20', DateTo: '2026-11-20' };

test('gives the events of a day by each of the three operations, as the document has them', async () => {
  const api = await oneStore();
  await cross(api, [
    ['2026-11-20T10:15:30.123+01:00', 1],
    ['2026-11-20T10:16:00+01:00', 1],
    ['2026-11-20T10:17:00+01:00', -1],
  ]);
  const expected = JSON.stringify([
    { DateTime: '2026-11-20T10:15:30.123+01:00', StoreName: 'Main Door', Amount: 1 },
    { DateTime: '2026-11-20T10:16:00.000+01:00', StoreName: 'Main Door', Amount: 2 },
    { DateTime: '2026-11-20T10:17:00.000+01:00', StoreName: 'Main Door', Amount: 1 },
  ]);

  const answers = [
    await api.post('GetCountsByShopGroupAndDatePublic', { ...day, ShopGroupName: 'West' }),
    await api.post('GetCountsBySerialNumberAndDatePublic', { ...day, SerialNumber: 'CU-0001' }),
    await api.post('GetCountsByCompanyAndDatePublic', day),
  ];

  for (const answer of answers) {
    expect(answer.text).toBe(expected);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(answer.headers.get('vary')).toBe('Accept');
    expect(answer.headers.get('cache-control')).toBe('no-store');
  }
});
