import { expect, test } from 'vitest';
import { answerTo } from '../../../test/api-under-test.ts';
import { lifeSignalKey, type OneStore, oneStore } from '../../../test/one-store.ts';

const now = Date.parse('2026-11-20T12:00:00Z');
const hour = 3_600_000;

function ask(api: OneStore, InactiveForHours: string) {
  const fields = { CompanyName: 'Acme', InactiveForHours };
  return api.post('GetLifeSignalInactive', fields, { authorization: lifeSignalKey });
}

async function serials(api: OneStore, hours: string): Promise<unknown> {
  const { body } = await ask(api, hours);
  return Array.isArray(body) ? body.map(({ SerialNumber }) => SerialNumber) : body;
}

async function silentDevices(): Promise<OneStore> {
  const api = await oneStore({ now: () => now });
  const { companyId, storeId, seed } = api;
  const annex = await seed.store({ companyId, sid: 'S-2', name: 'Annex', timeZone: 'America/Los_Angeles' });
  await seed.query('delete from journal');
  await seed.query('update device set registered_at = $1', [new Date(now)]);
  const device = (serial: string, more: object) => seed.device({ companyId, storeId, serial, ...more });
  await device('CU-0003', { lastActivityAt: now - 2.5 * hour });
  await device('CU-0002', { lastActivityAt: now - 2.5 * hour + 1 });
  await device('CU-0004', { registeredAt: now - 30 * hour });
  const moved = await device('CU-0005', { lastActivityAt: now - 10 * hour });
  await seed.move(moved, annex, now - hour);
  await seed.move(moved, storeId, now + hour);
  const retired = await device('CU-0006', { lastActivityAt: now - 1_000 * hour });
  await seed.query('update device set retired_at = $1 where id = $2', [new Date(now), retired]);
  return api;
}

test('returns devices silent for that long, with the fields of the document in its order', async () => {
  const api = await silentDevices();
  const { body, text } = await ask(api, '2.5');

  expect(body).toEqual([
    {
      Id: expect.any(Number),
      SerialNumber: 'CU-0005',
      Name: 'CU-0005',
      SID: 'S-2',
      ShopName: 'Annex',
      LastActivity: '2026-11-19T18:00:00.000-08:00',
      Address: '1 High St',
      City: 'Irvine',
      CompanyId: api.companyId,
    },
    expect.objectContaining({ SerialNumber: 'CU-0003', LastActivity: '2026-11-20T10:30:00.000+01:00' }),
    expect.objectContaining({ SerialNumber: 'CU-0004', LastActivity: '2026-11-19T07:00:00.000+01:00' }),
  ]);
  expect(Object.keys(Array.isArray(body) ? body[0] : {})).toEqual([
    'Id',
    'SerialNumber',
    'Name',
    'LastActivity',
    'SID',
    'ShopName',
    'Address',
    'City',
    'CompanyId',
  ]);
  expect(text).toContain('"CompanyId":');
});

test('counts to the millisecond, by store name and then serial number', async () => {
  const api = await silentDevices();
  expect(await serials(api, '2.4')).toEqual(['CU-0005', 'CU-0002', 'CU-0003', 'CU-0004']);
  expect(await serials(api, '2.5')).toEqual(['CU-0005', 'CU-0003', 'CU-0004']);
  expect(await serials(api, '30')).toEqual(['CU-0004']);
  expect(await serials(api, '30.001')).toEqual([]);
  expect(await serials(api, '999999999999999999999999')).toEqual([]);
});

test('accepts a decimal number above 0 with a dot, and JSON numbers', async () => {
  const api = await silentDevices();
  for (const hours of ['1', '24.0', '007.25', '0.001']) expect((await ask(api, hours)).status).toBe(200);
  for (const hours of [
    '0',
    '0.0',
    '-1',
    '+1',
    '2,5',
    '.5',
    '5.',
    '1e3',
    'NaN',
    'Infinity',
    '0x10',
    '1 2',
    '٣',
  ]) {
    expect((await ask(api, hours)).body, hours).toMatchObject({
      status: 400,
      code: 'invalid_parameter',
      parameter: 'InactiveForHours',
    });
  }
  const asJson = (InactiveForHours: string) =>
    answerTo(api.url('GetLifeSignalInactive'), {
      method: 'POST',
      body: `{"CompanyName":"Acme","InactiveForHours":${InactiveForHours}}`,
      headers: { 'content-type': 'application/json', authorization: lifeSignalKey },
    });
  for (const hours of ['2.5', '"2.5"', '1e1']) expect((await asJson(hours)).status).toBe(200);
  for (const hours of ['0', '-1', '1e999', 'true', '[1]', '"1e1"'])
    expect((await asJson(hours)).status).toBe(400);
});
