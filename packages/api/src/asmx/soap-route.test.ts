import { expect, test } from 'vitest';
import { checkedFetch } from '../../test/checked-fetch.ts';
import { credentials, cross, lifeSignalKey, oneStore } from '../../test/one-store.ts';
import { envelope, sendSoap, soapHeaders, textsOf, versions } from '../../test/soap.ts';
import { type SoapVersion, soap11 } from './soap/soap-version.ts';

const operation = 'GetCountsByCompanyAndDatePublic';
const action = `http://tempuri.org/${operation}`;
const range = { ...credentials, DateFrom: '2026-11-20', DateTo: '2026-11-20' };

async function service() {
  const api = await oneStore();
  await cross(api, [
    ['2026-11-20T09:15:30.123Z', 1],
    ['2026-11-20T09:16:00.000Z', -1],
  ]);
  const url = `http://127.0.0.1:${api.port}/public/service.asmx`;
  return { api, send: (headers: Record<string, string>, body: string) => sendSoap(url, headers, body) };
}

test.each(versions)('SOAP %s answers like ASMX, byte for byte', async (_, version) => {
  const { send } = await service();
  const answer = await send(
    soapHeaders(version, action),
    envelope(version, operation, { ...range, In: true }),
  );
  expect(answer.status).toBe(200);
  expect(answer.contentType).toBe(`${version.mediaType}; charset=utf-8`);
  expect(answer.text).toBe(
    `<?xml version="1.0" encoding="utf-8"?><soap:Envelope xmlns:soap="${version.envelope}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema"><soap:Body>` +
      `<${operation}Response xmlns="http://tempuri.org/"><${operation}Result>` +
      '<CountEvent><DateTime>2026-11-20T10:15:30.123+01:00</DateTime><StoreName>Main Door</StoreName><Amount>1</Amount></CountEvent>' +
      `</${operation}Result></${operation}Response></soap:Body></soap:Envelope>`,
  );
});

/** A message as it is written by hand, or by a library, with prefixes of its own. */
function withPrefixes(version: SoapVersion) {
  return `<e:Envelope xmlns:e='${version.envelope}'><e:Header/><e:Body><q1:${operation} xmlns:q1='http://tempuri.org/'>
    <q1:CompanyName>Acme</q1:CompanyName><q2:Token xmlns:q2='http://tempuri.org/'>${credentials.Token}</q2:Token>
    <DateFrom>2026-11-20</DateFrom><q1:DateTo><![CDATA[2026-11-20]]></q1:DateTo><q1:Unknown/>
    <q1:In xmlns:i='http://www.w3.org/2001/XMLSchema-instance' i:nil='true'/></q1:${operation}></e:Body></e:Envelope>`;
}

test.each(versions)(
  'SOAP %s finds the operation by the action or by the body, with any prefixes',
  async (_, version) => {
    const { send } = await service();
    const { mediaType } = version;
    const actions = [action, '', ' ', '*', operation, `http://tempuri.org/#${operation}`, 'urn:x', "'x'"];
    for (const headers of [
      ...actions.map((one) => soapHeaders(version, one)),
      { 'content-type': mediaType },
      { 'content-type': `${mediaType}; action=${operation}`, soapaction: operation },
      { 'content-type': `${mediaType}; action=*`, soapaction: '*' },
      { 'content-type': `${mediaType}; action=${action}`, soapaction: action },
    ]) {
      const answer = await send(headers, withPrefixes(version));
      expect([headers, textsOf(answer.content, 'Amount')]).toEqual([headers, ['1', '0']]);
    }
  },
);

test.each(versions)(
  'SOAP %s lists the actions where neither the action nor the body names one operation',
  async (_, version) => {
    const { send } = await service();
    const [life, all] = ['GetLifeSignalInactive', 'GetAllCountsByCompanyForTodayPublic'];
    const two = envelope(version, life, {}).replace(
      '</soap:Body>',
      `<${all} xmlns="http://tempuri.org/"/></soap:Body>`,
    );
    for (const given of ['*', ''])
      for (const body of [envelope(version, 'GetCounts', {}), two]) {
        const { status, text } = await send(soapHeaders(version, given), body);
        expect(status).toBe(500);
        expect(text).toContain(`<code>${given ? 'unknown' : 'missing'}_action</code>`);
        expect(text).toMatch(
          /The actions are http:\/\/tempuri.org\/GetLifeSignalInactive, .*ByCompanyAndDatePublic\./,
        );
      }
    for (const known of [life, `http://tempuri.org/${life}`]) {
      const contradiction = await send(soapHeaders(version, known), withPrefixes(version));
      expect(contradiction.text).toContain(`The body must be &lt;${life} `);
    }
  },
);

test.each(versions)(
  'SOAP %s reads the key of GetLifeSignalInactive from the HTTP header',
  async (_, version) => {
    const { send } = await service();
    const body = (hours: string) =>
      envelope(version, 'GetLifeSignalInactive', { CompanyName: 'Acme', InactiveForHours: hours });
    const headers = { ...soapHeaders(version, ''), authorization: lifeSignalKey };
    for (const hours of ['24', '2.5', '1.0E3', ' 24 ']) {
      expect((await send(headers, body(hours))).content?.name).toBe('GetLifeSignalInactiveResponse');
    }
    const lowerCase = body('1.0E3').replaceAll('InactiveForHours', 'inactiveforhours');
    expect((await send(headers, lowerCase)).content?.name).toBe('GetLifeSignalInactiveResponse');
    for (const hours of ['INF', '-1', '1e999', '2,5']) {
      expect((await send(headers, body(hours))).text).toContain('<code>invalid_parameter</code>');
    }
    const without = await send(soapHeaders(version, ''), body('24'));
    expect(without.text).toContain('<code>missing_parameter</code>');
  },
);

test('answers requests that are no SOAP message like plain HTTP', async () => {
  const { api, send } = await service();
  for (const type of ['application/json', 'text/plain', 'multipart/related; boundary=x', 'nonsense']) {
    expect(await send({ 'content-type': type }, '{}')).toMatchObject({
      status: 415,
      contentType: 'application/problem+json; charset=utf-8',
    });
  }
  const inForm = await checkedFetch(api.url(operation), {
    method: 'POST',
    headers: soapHeaders(soap11, action),
    body: '<a/>',
  });
  expect(inForm.status).toBe(415);
  const large = await send(soapHeaders(soap11, action), `<a>${'x'.repeat(65_536)}</a>`);
  expect(large).toMatchObject({ status: 500, contentType: 'text/xml; charset=utf-8' });
  expect(large.text).toContain('<code>payload_too_large</code>');
});
