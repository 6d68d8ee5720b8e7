import { expect, test } from 'vitest';
import { credentials, cross, lifeSignalKey, oneStore } from '../../test/one-store.ts';

const range = { ...credentials, DateFrom: '2026-11-20', DateTo: '2026-11-20' };
const operation = 'GetCountsByCompanyAndDatePublic';

async function withCrossings() {
  const api = await oneStore();
  await cross(api, [
    ['2026-11-20T09:15:30.123Z', 1],
    ['2026-11-20T09:16:00.000Z', 1],
  ]);
  return api;
}

test('answers XML as ASMX writes it, byte for byte, if the caller accepts it', async () => {
  const api = await withCrossings();
  await api.seed.query(`update store set name = 'Bath & Bed'`);
  const answer = await api.post(operation, range, { accept: 'text/xml' });
  expect(answer.headers.get('content-type')).toBe('text/xml; charset=utf-8');
  expect(answer.headers.get('vary')).toBe('Accept, Accept-Encoding');
  const event = (time: string, amount: number) => [
    '  <CountEvent>',
    `    <DateTime>2026-11-20T${time}+01:00</DateTime>`,
    '    <StoreName>Bath &amp; Bed</StoreName>',
    `    <Amount>${amount}</Amount>`,
    '  </CountEvent>',
  ];
  expect(answer.text.split('\r\n')).toEqual([
    '<?xml version="1.0" encoding="utf-8"?>',
    '<ArrayOfCountEvent xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns="http://tempuri.org/">',
    ...event('10:15:30.123', 1),
    ...event('10:16:00.000', 2),
    '</ArrayOfCountEvent>',
  ]);
  const empty = await api.post(
    operation,
    { ...range, DateFrom: '2026-11-19', DateTo: '2026-11-19' },
    { accept: 'text/xml' },
  );
  expect(empty.text).toMatch(/<ArrayOfCountEvent [^>]*>\s*<\/ArrayOfCountEvent>$/);
});

test('answers CSV if the caller accepts it, with a header line even without records', async () => {
  const api = await withCrossings();
  const answer = await api.post(operation, range, { accept: 'text/csv' });
  expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
  expect(answer.text).toBe(
    'DateTime,StoreName,Amount\r\n2026-11-20T10:15:30.123+01:00,Main Door,1\r\n2026-11-20T10:16:00.000+01:00,Main Door,2\r\n',
  );
  const devices = await api.post(
    'GetLifeSignalInactive',
    { CompanyName: 'Acme', InactiveForHours: '1000000' },
    { accept: 'text/csv', authorization: lifeSignalKey },
  );
  expect(devices.text).toBe('Id,SerialNumber,Name,LastActivity,SID,ShopName,Address,City,CompanyId\r\n');
});

test('neutralises names that look like formulas in CSV of every operation, except in raw CSV', async () => {
  const api = await withCrossings();
  await api.seed.query(`update store set name = '=1+1', sid = '-1', address = '@x', city = '+49'`);
  await api.seed.query(`update device set name = ' ＝cmd'`);
  const of = async (name: string, fields: Record<string, string>, accept: string) =>
    (await api.post(name, fields, { accept, authorization: lifeSignalKey })).text.split('\r\n').slice(1, 2);
  const silent = { CompanyName: 'Acme', InactiveForHours: '0.0000001' };
  const all = [
    [operation, range],
    ['GetCountsByShopGroupAndDatePublic', { ...range, ShopGroupName: 'West' }],
    ['GetCountsBySerialNumberAndDatePublic', { ...range, SerialNumber: 'CU-0001' }],
  ] as const;

  for (const [name, fields] of all) {
    expect(await of(name, fields, 'text/csv')).toEqual(["2026-11-20T10:15:30.123+01:00,'=1+1,1"]);
    expect(await of(name, fields, 'text/csv;raw=true')).toEqual(['2026-11-20T10:15:30.123+01:00,=1+1,1']);
  }
  const today = 'GetAllCountsByCompanyForTodayPublic';
  expect(await of(today, credentials, 'text/csv')).toEqual([expect.stringContaining(",'=1+1,0")]);
  expect(await of(today, credentials, 'text/csv;raw=true')).toEqual([expect.stringContaining(',=1+1,0')]);
  const [device] = await of('GetLifeSignalInactive', silent, 'text/csv');
  expect(device).toMatch(/^\d+,CU-0001,' ＝cmd,[^,]+,'-1,'=1\+1,'@x,'\+49,\d+$/);
  const [asItIs] = await of('GetLifeSignalInactive', silent, 'text/csv; raw=true');
  expect(asItIs).toMatch(/^\d+,CU-0001, ＝cmd,[^,]+,-1,=1\+1,@x,\+49,\d+$/);
});

test('answers problems in XML if the caller prefers XML, otherwise in JSON', async () => {
  const api = await withCrossings();
  const asked = (accept: string) => api.post(operation, { ...range, Token: '' }, { accept });
  const xml = await asked('application/xml');
  expect(xml.status).toBe(400);
  expect(xml.headers.get('content-type')).toBe('application/problem+xml; charset=utf-8');
  expect(xml.text).toBe(
    '<?xml version="1.0" encoding="utf-8"?><problem xmlns="urn:ietf:rfc:7807"><type>urn:visitor-counter:problem:missing_parameter</type>' +
      '<title>Missing parameter</title><status>400</status><code>missing_parameter</code>' +
      '<detail>Token is required and is missing or empty.</detail><parameter>Token</parameter></problem>',
  );
  for (const accept of ['text/csv', 'application/json', '*/*']) {
    expect((await asked(accept)).body).toMatchObject({ status: 400, code: 'missing_parameter' });
  }
  const unknown = await api.post('Nothing', range, { accept: 'text/xml' });
  expect(unknown.text).toContain('<status>404</status><code>not_found</code>');
});

test('names in XML are configuration', async () => {
  const xml = { namespace: 'urn:acme:counts', records: { CountEvent: 'Event', InactiveDevice: 'Unit' } };
  const api = await oneStore({ xml });
  const answer = await api.post(operation, range, { accept: 'text/xml' });
  expect(answer.text).toContain('<ArrayOfEvent ');
  expect(answer.text).toContain(' xmlns="urn:acme:counts">');
});
