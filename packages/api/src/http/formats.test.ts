import { expect, test } from 'vitest';
import { credentials, cross, lifeSignalKey, oneStore } from '../testing/one-store.ts';

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

test('answers XML to who asks for it', async () => {
  const api = await withCrossings();
  const answer = await api.post(operation, range, { accept: 'text/xml' });
  expect(answer.headers.get('content-type')).toBe('text/xml; charset=utf-8');
  expect(answer.headers.get('vary')).toBe('Accept, Accept-Encoding');
  expect(answer.text).toContain(
    'xmlns="http://tempuri.org/">\r\n  <CountEvent>\r\n    <DateTime>2026-11-20T10:15',
  );
  expect(answer.text.match(/<Amount>\d+<\/Amount>/g)).toEqual(['<Amount>1</Amount>', '<Amount>2</Amount>']);
  const empty = await api.post(
    operation,
    { ...range, DateFrom: '2026-11-19', DateTo: '2026-11-19' },
    { accept: 'text/xml' },
  );
  expect(empty.text).toMatch(/<ArrayOfCountEvent [^>]*>\s*<\/ArrayOfCountEvent>$/);
});

test('answers CSV to who asks for it, with its header line even for nothing', async () => {
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

test('answers problems in XML to who prefers XML, in JSON to everybody else', async () => {
  const api = await withCrossings();
  const asked = (accept: string) => api.post(operation, { ...range, Token: '' }, { accept });
  const xml = await asked('application/xml');
  expect(xml.status).toBe(400);
  expect(xml.headers.get('content-type')).toBe('application/problem+xml; charset=utf-8');
  expect(xml.text).toContain('<status>400</status><code>missing_parameter</code>');
  expect(xml.text).toContain('<parameter>Token</parameter>');
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
