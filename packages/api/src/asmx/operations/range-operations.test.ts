import { expect, test } from 'vitest';
import { apiUnderTest } from '../../../test/api-under-test.ts';
import { checkedFetch } from '../../../test/checked-fetch.ts';
import { credentials, cross, oneStore, token } from '../../../test/one-store.ts';

const day = { ...credentials, DateFrom: '2026-11-20', DateTo: '2026-11-20' };

test('returns the events of a day from each of the three operations, as in the document', async () => {
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
    expect(answer.headers.get('vary')).toBe('Accept, Accept-Encoding');
    expect(answer.headers.get('cache-control')).toBe('no-store');
  }
});

test('returns an empty list without events, and for a company or group without stores', async () => {
  const api = await oneStore();
  await api.seed.shopGroup(api.companyId, 'Empty', []);
  const empty = await api.seed.company('Empty');
  await api.seed.credential({ companyId: empty, kind: 'counts', value: 'empty-token' });
  const ofEmpty = { ...day, CompanyName: 'Empty', Token: 'empty-token' };

  for (const [operation, fields] of [
    ['GetCountsByCompanyAndDatePublic', day],
    ['GetCountsByShopGroupAndDatePublic', { ...day, ShopGroupName: 'Empty' }],
    ['GetCountsByCompanyAndDatePublic', ofEmpty],
    ['GetAllCountsByCompanyForTodayPublic', ofEmpty],
    ['GetCountsByCompanyAndDatePublic', { ...day, DateFrom: '2026-11-20T10:00', DateTo: '2026-11-20T10:00' }],
  ] as const) {
    const answer = await api.post(operation, fields);
    expect(answer.text).toBe('[]');
    expect(answer.status).toBe(200);
  }
});

test('In selects entries or exits and leaves every Amount unchanged', async () => {
  const api = await oneStore();
  await cross(api, [
    ['2026-11-20T10:00Z', -1],
    ['2026-11-20T10:01Z', 1],
    ['2026-11-20T10:02Z', 1],
    ['2026-11-20T10:03Z', -1],
  ]);
  const amounts = async (fields: Record<string, string>) => {
    const { body } = await api.post('GetCountsByCompanyAndDatePublic', { ...day, ...fields });
    return Array.isArray(body) ? body.map(({ Amount }) => Amount) : body;
  };

  expect(await amounts({})).toEqual([0, 1, 2, 1]);
  expect(await amounts({ In: '' })).toEqual([0, 1, 2, 1]);
  for (const In of ['true', 'TRUE', '1', ' True ']) expect(await amounts({ In })).toEqual([1, 2]);
  for (const In of ['false', 'False', '0']) expect(await amounts({ In })).toEqual([0, 1]);
  for (const In of ['yes', '2', 'tru', '01', 'null']) {
    expect(await amounts({ In })).toMatchObject({ status: 400, code: 'invalid_parameter', parameter: 'In' });
  }
  const json = JSON.stringify({ ...day, In: false });
  const answer = await checkedFetch(api.url('GetCountsByCompanyAndDatePublic'), {
    method: 'POST',
    body: json,
    headers: { 'content-type': 'application/json' },
  });
  expect(await answer.json()).toHaveLength(2);
});

test('compares names trimmed and without case, and answers names of other companies like unknown ones', async () => {
  const api = await oneStore();
  const other = await api.seed.company('Other');
  const storeId = await api.seed.store({ companyId: other, sid: 'S-1' });
  await api.seed.shopGroup(other, 'East', [storeId]);
  await api.seed.device({ companyId: other, storeId, serial: 'CU-0002' });
  const group = async (ShopGroupName: string) =>
    (await api.post('GetCountsByShopGroupAndDatePublic', { ...day, ShopGroupName })).body;
  const serial = async (SerialNumber: string, operation = 'GetCountsBySerialNumberAndDatePublic') =>
    (await api.post(operation, { ...day, SerialNumber })).body;

  expect(await group(' wEST ')).toEqual([]);
  expect(await serial(' cu-0001 ')).toEqual([]);
  expect(await group('East')).toEqual(await group('Nowhere'));
  expect(await group('East')).toMatchObject({ code: 'unknown_shop_group', parameter: 'ShopGroupName' });
  expect(await serial('CU-0002')).toEqual(await serial('CU-9999'));
  expect(await serial('CU-0002')).toMatchObject({ code: 'unknown_serial_number', parameter: 'SerialNumber' });
  expect(await serial('CU-0002', 'GetCountsByCompanyAndDatePublic')).toEqual(await serial('CU-9999'));
});

test('rejects dates that do not exist, and DateFrom after DateTo, before the first byte', async () => {
  const api = await oneStore();
  await api.seed.query('update company set retention_months = null');
  const ask = async (DateFrom: string, DateTo: string) =>
    (await api.post('GetCountsByCompanyAndDatePublic', { ...day, DateFrom, DateTo })).body;

  const invalid = { status: 400, code: 'invalid_parameter' };
  expect(await ask('2026-02-30', '2026-03-01')).toMatchObject({ ...invalid, parameter: 'DateFrom' });
  expect(await ask('2026-02-28', '2026-02-29')).toMatchObject({ ...invalid, parameter: 'DateTo' });
  expect(await ask('2026-11-21', '2026-11-20')).toMatchObject({ status: 400, code: 'invalid_date_range' });
  expect(await ask('2026-11-20T10:00', '2026-11-20T09:59')).toMatchObject({ code: 'invalid_date_range' });
  expect(await ask('2026-11-21', '2026-11-20T23:59')).toMatchObject({ code: 'invalid_date_range' });
  expect(await ask('0001-01-01', '9999-12-31')).toEqual([]);
});

test('lists stores of one name one after the other, since each has an Amount of its own', async () => {
  const api = await oneStore();
  const { companyId, seed, journalId, deviceId, storeId } = api;
  const twin = await seed.store({ companyId, sid: 'S-2', name: 'Main Door', timeZone: 'Europe/Berlin' });
  const other = await seed.device({ companyId, storeId: twin, serial: 'CU-0002' });
  const there = {
    journalId: await seed.journal(other, 'j'),
    deviceId: other,
    storeId: twin,
    direction: 1,
  } as const;
  const here = { journalId, deviceId, storeId, direction: 1 } as const;
  const at = (time: string) => Date.parse(`2026-11-20T${time}Z`);
  await seed.crossings([
    { ...here, sequence: 1, at: at('10:00') },
    { ...there, sequence: 1, at: at('10:01') },
    { ...here, sequence: 2, at: at('10:02') },
  ]);

  const { body } = await api.post('GetCountsByCompanyAndDatePublic', day);

  const StoreName = 'Main Door';
  expect(body).toEqual([
    { DateTime: '2026-11-20T11:00:00.000+01:00', StoreName, Amount: 1 },
    { DateTime: '2026-11-20T11:02:00.000+01:00', StoreName, Amount: 2 },
    { DateTime: '2026-11-20T11:01:00.000+01:00', StoreName, Amount: 1 },
  ]);
});

test('returns ten years in one answer, and lists a store without devices only as empty today', async () => {
  const api = await oneStore();
  await api.seed.store({ companyId: api.companyId, sid: 'S-2', name: 'New', timeZone: 'UTC' });
  await cross(api, [
    ['2016-11-20T10:00:00+01:00', 1],
    ['2026-11-20T10:00:00+01:00', 1],
  ]);

  const { body } = await api.post('GetCountsByCompanyAndDatePublic', {
    ...credentials,
    DateFrom: '2016-11-20',
    DateTo: '2026-11-20',
  });
  const today = await api.post('GetAllCountsByCompanyForTodayPublic', credentials);

  expect(body).toEqual([
    { DateTime: '2016-11-20T10:00:00.000+01:00', StoreName: 'Main Door', Amount: 1 },
    { DateTime: '2026-11-20T10:00:00.000+01:00', StoreName: 'Main Door', Amount: 1 },
  ]);
  expect(today.body).toMatchObject([{ StoreName: 'Main Door' }, { StoreName: 'New', Amount: 0 }]);
});

test('sorts by store name in code points, then by time; each store has its own days and offsets', async () => {
  const api = await apiUnderTest();
  const companyId = await api.seed.company('Acme');
  await api.seed.credential({ companyId, kind: 'counts', value: token });
  const zones = { Zürich: 'Europe/Zurich', apple: 'Asia/Kolkata', Ähre: 'America/Lima', Zebra: 'Asia/Tokyo' };
  for (const [index, [name, timeZone]] of Object.entries(zones).entries()) {
    const storeId = await api.seed.store({ companyId, sid: `${index}`, name, timeZone });
    const deviceId = await api.seed.device({ companyId, storeId, serial: `D${index}` });
    const journalId = await api.seed.journal(deviceId, 'j');
    const ids = { storeId, deviceId, journalId, direction: 1 } as const;
    await api.seed.crossings([
      { ...ids, sequence: 2, at: Date.parse('2026-11-20T12:00Z') },
      { ...ids, sequence: 1, at: Date.parse('2026-11-20T02:00Z') },
    ]);
  }

  const { body } = await api.post('GetCountsByCompanyAndDatePublic', day);

  expect(body).toEqual([
    { DateTime: '2026-11-20T11:00:00.000+09:00', StoreName: 'Zebra', Amount: 1 },
    { DateTime: '2026-11-20T21:00:00.000+09:00', StoreName: 'Zebra', Amount: 2 },
    { DateTime: '2026-11-20T03:00:00.000+01:00', StoreName: 'Zürich', Amount: 1 },
    { DateTime: '2026-11-20T13:00:00.000+01:00', StoreName: 'Zürich', Amount: 2 },
    { DateTime: '2026-11-20T07:30:00.000+05:30', StoreName: 'apple', Amount: 1 },
    { DateTime: '2026-11-20T17:30:00.000+05:30', StoreName: 'apple', Amount: 2 },
    { DateTime: '2026-11-20T07:00:00.000-05:00', StoreName: 'Ähre', Amount: 1 },
  ]);
});

test('returns the crossings of a moved device in the store of their time', async () => {
  const api = await oneStore();
  const { companyId, deviceId, journalId, storeId, seed } = api;
  const second = await seed.store({ companyId, sid: 'S-2', name: 'Annex', timeZone: 'Europe/Berlin' });
  const neighbour = await seed.device({ companyId, storeId: second, serial: 'CU-0002' });
  const noon = Date.parse('2026-11-20T12:00+01:00');
  await seed.move(deviceId, second, noon);
  await seed.crossings([
    { journalId, deviceId, storeId, sequence: 1, at: noon - 1_000, direction: 1 },
    { journalId, deviceId, storeId: second, sequence: 2, at: noon, direction: 1 },
    {
      journalId: await seed.journal(neighbour, 'j'),
      deviceId: neighbour,
      storeId: second,
      sequence: 1,
      at: noon - 5_000,
      direction: 1,
    },
  ]);

  const { body } = await api.post('GetCountsBySerialNumberAndDatePublic', {
    ...day,
    SerialNumber: 'CU-0001',
  });

  expect(body).toEqual([
    { DateTime: '2026-11-20T12:00:00.000+01:00', StoreName: 'Annex', Amount: 2 },
    { DateTime: '2026-11-20T11:59:59.000+01:00', StoreName: 'Main Door', Amount: 1 },
  ]);
  const filtered = await api.post('GetCountsByCompanyAndDatePublic', { ...day, SerialNumber: 'CU-0001' });
  expect(filtered.body).toEqual(body);
});
