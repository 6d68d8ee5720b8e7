import { expect, test } from 'vitest';
import { apiUnderTest } from '../../../test/api-under-test.ts';

/** On Kiritimati it is the 21st, in London the 20th, and in Pago Pago still the 19th. */
const now = Date.parse('2026-11-20T10:30:00Z');
const hour = 3_600_000;
const zones = [
  ['K', 'Pacific/Kiritimati', '2026-11-21'],
  ['L', 'Europe/London', '2026-11-20'],
  ['P', 'Pacific/Pago_Pago', '2026-11-19'],
] as const;

/** Somebody comes in every hour of the last 30 hours, to each store. */
async function threeStores() {
  const api = await apiUnderTest({ now: () => now });
  const companyId = await api.seed.company('Acme');
  await api.seed.credential({ companyId, kind: 'counts', value: 'token' });
  for (const [sid, timeZone] of zones) {
    const storeId = await api.seed.store({ companyId, sid, timeZone });
    const deviceId = await api.seed.device({ companyId, storeId, serial: `CU-${sid}` });
    const journalId = await api.seed.journal(deviceId, 'j');
    await api.seed.crossings(
      Array.from({ length: 30 }, (_, n) => {
        const of = { storeId, deviceId, journalId, direction: 1 as const };
        return { ...of, sequence: n + 1, at: now - (29.4 - n) * hour };
      }),
    );
  }
  return async (path: string) => Object((await api.get(`/v1/visitors${path}`, 'token')).body);
}

test('counts each store on its own present day without dates, and says which day that is', async () => {
  const ask = await threeStores();
  const { items, total } = await ask('/stores');
  expect(items).toMatchObject([
    { store: 'K', from: '2026-11-21', to: '2026-11-21', visitors: 1 },
    { store: 'L', from: '2026-11-20', to: '2026-11-20', visitors: 11 },
    { store: 'P', from: '2026-11-19', to: '2026-11-19', visitors: 24 },
  ]);
  expect(total.visitors).toBe(36);
  expect(await ask('')).toMatchObject({ from: '2026-11-19', to: '2026-11-21', total: { visitors: 36 } });
});

test('returns how many days of the period have begun, and on how many a store counted', async () => {
  const ask = await threeStores();
  const query = '?from=2026-11-15&to=2026-11-22';
  const { items } = await ask(`/stores${query}`);
  expect(items).toMatchObject([
    { store: 'K', days: 7, recorded: 3 },
    { store: 'L', days: 6, recorded: 2 },
    { store: 'P', days: 5, recorded: 2 },
  ]);
  expect((await ask(`${query}&store=L`)).days).toMatchObject({ begun: 6, recorded: 2 });
});
