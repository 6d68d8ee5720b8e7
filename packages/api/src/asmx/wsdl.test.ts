import { expect, test } from 'vitest';
import { validateXML } from 'xmllint-wasm';
import { checkedFetch } from '../../test/checked-fetch.ts';
import { credentials, cross, lifeSignalKey, oneStore } from '../../test/one-store.ts';
import { envelope, sendSoap, soapHeaders } from '../../test/soap.ts';
import { soap11 } from './soap/soap-version.ts';

async function service() {
  const api = await oneStore();
  await cross(api, [['2026-11-20T09:15:30.123Z', 1]]);
  const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    checkedFetch(`http://127.0.0.1:${api.port}/public/${path}`, { method, headers });
  return { api, get };
}

test('serves the WSDL and the discovery document in any letter case, for GET and HEAD', async () => {
  const { get } = await service();
  for (const query of ['WSDL', 'wsdl', 'Wsdl', 'wsdl=', 'WSDL=1', 'singleWsdl']) {
    const answer = await get(`SERVICE.asmx?${query}`);
    expect(answer.status, query).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/xml; charset=utf-8');
    expect(await answer.text()).toContain('<wsdl:definitions ');
  }
  expect(await (await get('Service.asmx?DISCO')).text()).toContain('<discovery ');
  const head = await get('Service.asmx?WSDL', {}, 'HEAD');
  expect(head.status).toBe(200);
  expect(Number(head.headers.get('content-length'))).toBeGreaterThan(1_000);
  expect(await head.text()).toBe('');
});

test('uses the address that the caller used', async () => {
  const { api, get } = await service();
  const address = `http://127.0.0.1:${api.port}/public/Service.asmx`;
  const wsdl = await (await get('Service.asmx?wsdl')).text();
  expect(wsdl.match(/(?<=:address location=")[^"]*/g)).toEqual([address, address, address]);
  const disco = await (await get('Service.asmx?disco')).text();
  expect(disco).toContain(`ref="${address}?wsdl" docRef="${address}"`);
});

test('answers of the operations are valid by the schema of the WSDL', async () => {
  const { api, get } = await service();
  const wsdl = await (await get('Service.asmx?wsdl')).text();
  const schema = (/<s:schema[\s\S]*<\/s:schema>/.exec(wsdl)?.[0] ?? '').replace(
    '<s:schema ',
    '<s:schema xmlns:s="http://www.w3.org/2001/XMLSchema" xmlns:tns="http://tempuri.org/" ',
  );
  const range = { DateFrom: '2026-11-20', DateTo: '2026-11-20', In: 'true' };
  const devices = { CompanyName: 'Acme', InactiveForHours: '0.001' };
  const asked: [operation: string, fields: Record<string, string>][] = [
    ['GetLifeSignalInactive', devices],
    ['GetAllCountsByCompanyForTodayPublic', credentials],
    ['GetCountsByShopGroupAndDatePublic', { ...credentials, ShopGroupName: 'West', ...range }],
    ['GetCountsBySerialNumberAndDatePublic', { ...credentials, SerialNumber: 'CU-0001', ...range }],
    ['GetCountsByCompanyAndDatePublic', { ...credentials, ...range, SerialNumber: 'CU-0001' }],
  ];
  const documents: { fileName: string; contents: string }[] = [];
  for (const [operation, fields] of asked) {
    const authorization = lifeSignalKey;
    const form = await api.post(operation, fields, { accept: 'text/xml', authorization });
    documents.push({ fileName: `${operation} form`, contents: form.text });
    const request = envelope(soap11, operation, fields);
    const url = `http://127.0.0.1:${api.port}/public/Service.asmx`;
    const soap = await sendSoap(url, { ...soapHeaders(soap11, ''), authorization }, request);
    const contents = /<soap:Body>(.*)<\/soap:Body>/.exec(soap.text)?.[1] ?? '';
    documents.push({ fileName: `${operation} soap`, contents });
  }
  const result = await validateXML({ xml: documents, schema });
  expect(result.rawOutput.split('\n').filter((line) => line && !line.endsWith(' validates'))).toEqual([]);
  expect(result.valid).toBe(true);
});
