import { expect, test } from 'vitest';
import type { ApiUnderTest } from '../../test/api-under-test.ts';
import { credentials, lifeSignalKey, oneStore, token } from '../../test/one-store.ts';

const range = { DateFrom: '2026-11-20', DateTo: '2026-11-20' };
/** The count operations with everything they need but the credentials. */
const countOperations = {
  GetAllCountsByCompanyForTodayPublic: {},
  GetCountsByShopGroupAndDatePublic: { ...range, ShopGroupName: 'West' },
  GetCountsBySerialNumberAndDatePublic: { ...range, SerialNumber: 'CU-0001' },
  GetCountsByCompanyAndDatePublic: range,
} as const;

test('answers every wrong credential or company of a count operation identically', async () => {
  const api = await oneStore();
  const hourAgo = Date.now() - 3_600_000;
  const { companyId } = api;
  const other = await api.seed.company('Other');
  await api.seed.credential({ companyId: other, kind: 'counts', value: 'token-of-other' });
  await api.seed.credential({ companyId, kind: 'staff', value: 'staff-token' });
  await api.seed.credential({ companyId, kind: 'counts', value: 'expired-token', expiresAt: hourAgo });
  await api.seed.credential({ companyId, kind: 'counts', value: 'revoked-token', revokedAt: hourAgo });

  for (const [operation, fields] of Object.entries(countOperations)) {
    expect((await api.post(operation, { ...fields, ...credentials })).status).toBe(200);
    const answers = await Promise.all([
      api.post(operation, { ...fields, CompanyName: 'Acme', Token: 'unknown' }),
      api.post(operation, { ...fields, CompanyName: 'Acme', Token: `${token}x` }),
      api.post(operation, { ...fields, CompanyName: 'Acme', Token: 'token-of-other' }),
      api.post(operation, { ...fields, CompanyName: 'Acme', Token: lifeSignalKey }),
      api.post(operation, { ...fields, CompanyName: 'Acme', Token: 'staff-token' }),
      api.post(operation, { ...fields, CompanyName: 'Acme', Token: 'expired-token' }),
      api.post(operation, { ...fields, CompanyName: 'Acme', Token: 'revoked-token' }),
      api.post(operation, { ...fields, CompanyName: 'Other', Token: token }),
      api.post(operation, { ...fields, CompanyName: 'Nobody', Token: token }),
      api.post(operation, { ...fields, CompanyName: 'Nobody', Token: 'unknown' }),
    ]);
    for (const { status, text, body } of answers) {
      expect(text).toBe(answers[0].text);
      expect(status).toBe(400);
      expect(body).toEqual(expect.objectContaining({ status: 400, code: 'invalid_credential' }));
      expect(body).not.toHaveProperty('parameter');
    }
  }
});

test('accepts only the Authorization header for GetLifeSignalInactive, with or without Bearer', async () => {
  const api = await oneStore();
  const fields = { CompanyName: ' aCMe ', InactiveForHours: '1' };
  const ask = (authorization: string, more = {}) =>
    api.post('GetLifeSignalInactive', { ...fields, ...more }, { authorization });

  for (const header of [lifeSignalKey, `Bearer ${lifeSignalKey}`, `bEARER   ${lifeSignalKey}`]) {
    expect((await ask(header)).status).toBe(200);
  }
  for (const header of [token, `Basic ${lifeSignalKey}`, 'unknown', `Bearer Bearer ${lifeSignalKey}`]) {
    expect((await ask(header, { Token: lifeSignalKey })).body).toMatchObject({ code: 'invalid_credential' });
  }
  const missing = { status: 400, code: 'missing_parameter', parameter: 'Authorization' };
  expect((await api.post('GetLifeSignalInactive', { ...fields, Token: lifeSignalKey })).body).toMatchObject(
    missing,
  );
  expect((await ask('Bearer')).body).toMatchObject(missing);
});

test('names the first missing parameter before it checks the credential', async () => {
  const api = await oneStore();
  const orders: Record<string, string[]> = {
    GetLifeSignalInactive: ['CompanyName', 'InactiveForHours'],
    GetAllCountsByCompanyForTodayPublic: ['CompanyName', 'Token'],
    GetCountsByShopGroupAndDatePublic: ['Token', 'CompanyName', 'ShopGroupName', 'DateFrom', 'DateTo'],
    GetCountsBySerialNumberAndDatePublic: ['Token', 'CompanyName', 'SerialNumber', 'DateFrom', 'DateTo'],
    GetCountsByCompanyAndDatePublic: ['Token', 'CompanyName', 'DateFrom', 'DateTo'],
  };
  for (const [operation, names] of Object.entries(orders)) {
    for (const [index, parameter] of names.entries()) {
      const given = Object.fromEntries(names.slice(0, index).map((name) => [name, 'wrong']));
      for (const fields of [given, { ...given, [parameter]: '  ' }]) {
        const answer = await api.post(operation, fields, { authorization: 'wrong' });
        expect(answer.body).toMatchObject({ status: 400, code: 'missing_parameter', parameter });
      }
    }
  }
});

test('reveals nothing about values, groups or serial numbers before the credential is valid', async () => {
  const api = await oneStore();
  const wrong = { CompanyName: 'Acme', Token: 'wrong', DateFrom: 'never', DateTo: 'never' };
  const invalid = { code: 'invalid_credential' };
  const answers = [
    await api.post('GetCountsByShopGroupAndDatePublic', { ...wrong, ShopGroupName: 'nothing' }),
    await api.post('GetCountsBySerialNumberAndDatePublic', { ...wrong, SerialNumber: 'nothing', In: 'x' }),
    await api.post('GetCountsByCompanyAndDatePublic', { ...wrong, SerialNumber: 'nothing' }),
    await api.post(
      'GetLifeSignalInactive',
      { CompanyName: 'Acme', InactiveForHours: 'x' },
      { authorization: 'wrong' },
    ),
  ];
  for (const { body } of answers) expect(body).toMatchObject(invalid);
});

test('rejects a credential from the moment of revocation or expiry', async () => {
  let now = Date.parse('2026-11-20T10:00:00Z');
  const api = await oneStore({ now: () => now });
  const { companyId } = api;
  await api.seed.credential({ companyId, kind: 'counts', value: 'for-an-hour', expiresAt: now + 3_600_000 });
  const ask = async (Token: string) =>
    (await api.post('GetAllCountsByCompanyForTodayPublic', { CompanyName: 'Acme', Token })).status;

  expect(await ask('for-an-hour')).toBe(200);
  now += 3_600_000;
  expect(await ask('for-an-hour')).toBe(400);

  expect(await ask(token)).toBe(200);
  await api.seed.query(`update credential set revoked_at = now() where label = $1`, [token]);
  expect(await ask(token)).toBe(400);
});

test('records when a credential was last used, to the minute, and never for a wrong one', async () => {
  let now = Date.parse('2026-11-20T10:00:00Z');
  const api = await oneStore({ now: () => now });
  const ask = () => api.post('GetAllCountsByCompanyForTodayPublic', credentials);

  await api.post('GetAllCountsByCompanyForTodayPublic', { CompanyName: 'Nobody', Token: token });
  expect(await lastUse(api)).toBe(null);
  await ask();
  await expect.poll(() => lastUse(api)).toBe(now);
  const first = now;
  now += 59_000;
  await ask();
  now += 1_000;
  await ask();
  await expect.poll(() => lastUse(api)).toBe(first + 60_000);
});

async function lastUse({ seed }: ApiUnderTest): Promise<unknown> {
  const [row] = await seed.query('select last_used_at from credential where label = $1', [token]);
  return row?.['last_used_at'];
}
