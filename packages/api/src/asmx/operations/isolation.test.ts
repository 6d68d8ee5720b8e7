import { expect, test } from 'vitest';
import { type ApiUnderTest, apiUnderTest } from '../../../test/api-under-test.ts';

/* Companies whose groups, stores and sids are named alike; only serial numbers are unique over all companies. */
const companies = ['A', 'B', 'C', 'D'];
const range = { DateFrom: '2026-11-20', DateTo: '2026-11-20' };
const now = Date.parse('2026-11-20T12:00:00Z');

async function seedCompany({ seed }: ApiUnderTest, name: string) {
  const companyId = await seed.company(name);
  const storeId = await seed.store({ companyId, sid: 'S-1', name: `Store of ${name}` });
  await seed.shopGroup(companyId, 'West', [storeId]);
  await seed.shopGroup(companyId, `Group of ${name}`, [storeId]);
  const registeredAt = now - 100 * 3_600_000;
  const deviceId = await seed.device({ companyId, storeId, serial: `CU-${name}`, registeredAt });
  const journalId = await seed.journal(deviceId, 'j');
  await seed.crossings([{ journalId, deviceId, storeId, sequence: 1, at: now - 1_000, direction: 1 }]);
  await seed.credential({ companyId, kind: 'counts', value: `counts of ${name}` });
  await seed.credential({ companyId, kind: 'life-signal', value: `key of ${name}` });
}

/** Every operation with the names of one company, and the credentials of another. */
function calls({ post }: ApiUnderTest, CompanyName: string, holder: string, names: string) {
  const counts = { CompanyName, Token: `counts of ${holder}` };
  const dated = { ...counts, ...range };
  const authorization = `key of ${holder}`;
  return [
    post('GetLifeSignalInactive', { CompanyName, InactiveForHours: '1' }, { authorization }),
    post('GetAllCountsByCompanyForTodayPublic', counts),
    post('GetCountsByShopGroupAndDatePublic', { ...dated, ShopGroupName: 'West' }),
    post('GetCountsByShopGroupAndDatePublic', { ...dated, ShopGroupName: `Group of ${names}` }),
    post('GetCountsBySerialNumberAndDatePublic', { ...dated, SerialNumber: `CU-${names}` }),
    post('GetCountsByCompanyAndDatePublic', dated),
    post('GetCountsByCompanyAndDatePublic', { ...dated, SerialNumber: `CU-${names}` }),
  ];
}

test('no credential reads anything of another company, by any operation or name', async () => {
  const api = await apiUnderTest({ now: () => now });
  for (const name of companies) await seedCompany(api, name);

  for (const company of companies) {
    for (const holder of companies) {
      for (const names of companies) {
        const answers = await Promise.all(calls(api, company, holder, names));
        for (const { status, text } of answers) {
          const foreign = companies.filter((name) => name !== company || company !== holder);
          for (const name of foreign) expect(text).not.toMatch(new RegExp(`Store of ${name}|CU-${name}`));
          if (company === holder && holder === names) expect(text).toContain(`Store of ${company}`);
          if (company !== holder) expect(status).toBe(400);
        }
      }
    }
  }
});
