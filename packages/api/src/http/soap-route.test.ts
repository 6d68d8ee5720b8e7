import { expect, test } from 'vitest';
import { soap11, soap12 } from '../soap/soap-version.ts';
import { checkedFetch } from '../testing/checked-fetch.ts';
import { credentials, cross, lifeSignalKey, oneStore } from '../testing/one-store.ts';
import { envelope, sendSoap, soapHeaders, textsOf, versions } from '../testing/soap.ts';

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

test.each(versions)('SOAP %s answers as ASMX does, byte for byte', async (_, version) => {
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

test.each(versions)(
  'SOAP %s finds the operation by the action or by the body, with any prefixes',
  async (_, version) => {
    const { send } = await service();
    const body = `<e:Envelope xmlns:e='${version.envelope}'><e:Header/><e:Body><q1:${operation} xmlns:q1='http://tempuri.org/'>
    <q1:CompanyName>Acme</q1:CompanyName><q2:Token xmlns:q2='http://tempuri.org/'>${credentials.Token}</q2:Token>
    <DateFrom>2026-11-20</DateFrom><q1:DateTo><![CDATA[2026-11-20]]></q1:DateTo><q1:Unknown/>
    <q1:In xmlns:i='http://www.w3.org/2001/XMLSchema-instance' i:nil='true'/></q1:${operation}></e:Body></e:Envelope>`;
    for (const headers of [
      soapHeaders(version, action),
      soapHeaders(version, ''),
      { 'content-type': version.mediaType },
    ]) {
      expect(textsOf((await send(headers, body)).content, 'Amount')).toEqual(['1', '0']);
    }
  },
);

test.each(versions)(
  'SOAP %s takes the key of GetLifeSignalInactive from the HTTP header',
  async (_, version) => {
    const { send } = await service();
    const body = (hours: string) =>
      envelope(version, 'GetLifeSignalInactive', { CompanyName: 'Acme', InactiveForHours: hours });
    const headers = { ...soapHeaders(version, ''), authorization: lifeSignalKey };
    for (const hours of ['24', '2.5', '1.0E3', ' 24 ']) {
      expect((await send(headers, body(hours))).content?.name).toBe('GetLifeSignalInactiveResponse');
    }
    for (const hours of ['INF', '-1', '1e999', '2,5']) {
      expect((await send(headers, body(hours))).text).toContain('<code>invalid_parameter</code>');
    }
    const without = await send(soapHeaders(version, ''), body('24'));
    expect(without.text).toContain('<code>missing_parameter</code>');
  },
);

test("SOAP 1.1 tells a caller's mistake by a fault of the client, with the problem in its detail", async () => {
  const { send } = await service();
  const answer = await send(
    soapHeaders(soap11, action),
    envelope(soap11, operation, { ...range, Token: '' }),
  );
  expect(answer.status).toBe(500);
  expect(answer.contentType).toBe('text/xml; charset=utf-8');
  expect(answer.text).toContain(
    '<soap:Body><soap:Fault><faultcode>soap:Client</faultcode>' +
      '<faultstring>Server was unable to process request. ---&gt; Token is required and is missing or empty.</faultstring>' +
      '<detail><problem xmlns="urn:ietf:rfc:7807"><type>urn:visitor-counter:problem:missing_parameter</type>',
  );
});

test('SOAP 1.2 tells it by a fault of the sender', async () => {
  const { send } = await service();
  const answer = await send(
    soapHeaders(soap12, action),
    envelope(soap12, operation, { ...range, Token: 'x' }),
  );
  expect(answer.status).toBe(500);
  expect(answer.contentType).toBe('application/soap+xml; charset=utf-8');
  expect(answer.text).toContain(
    '<soap:Fault><soap:Code><soap:Value>soap:Sender</soap:Value></soap:Code><soap:Reason><soap:Text xml:lang="en">' +
      'Server was unable to process request. ---&gt; The credential does not open this operation of this company.' +
      '</soap:Text></soap:Reason><soap:Detail><problem xmlns="urn:ietf:rfc:7807">',
  );
});

test.each(versions)(
  'SOAP %s: every required value that is missing is a fault that names it',
  async (_, version) => {
    const { send } = await service();
    for (const name of Object.keys(range)) {
      for (const fields of [
        Object.fromEntries(Object.entries(range).filter(([key]) => key !== name)),
        { ...range, [name]: ' ' },
      ]) {
        const answer = await send(soapHeaders(version, action), envelope(version, operation, fields));
        expect(answer.status).toBe(500);
        expect(answer.text).toContain(`<code>missing_parameter</code><detail>${name} is required`);
      }
    }
  },
);

test('ignores headers that it does not know, unless it must understand them', async () => {
  const { send } = await service();
  for (const [, version] of versions) {
    const sent = (attributes: string) => {
      const header = `<soap:Header><h:Security xmlns:h="urn:h" ${attributes}><h:x/></h:Security></soap:Header>`;
      return send(soapHeaders(version, action), envelope(version, operation, range, header));
    };
    for (const attributes of [
      '',
      'soap:mustUnderstand="0"',
      'mustUnderstand="1"',
      `soap:mustUnderstand="1" soap:${version.roleAttribute}="urn:another"`,
    ]) {
      expect((await sent(attributes)).status).toBe(200);
    }
    for (const attributes of [
      'soap:mustUnderstand="1"',
      `soap:mustUnderstand="1" soap:${version.roleAttribute}="${version.ownRoles[1]}"`,
    ]) {
      const answer = await sent(attributes);
      expect(answer.status).toBe(500);
      expect(answer.text).toContain('>soap:MustUnderstand<');
      expect(answer.text).toContain('SOAP header Security was not understood.');
      expect(answer.text).not.toContain('<problem');
    }
  }
});

test('words what is wrong with a message as ASMX does', async () => {
  const { send } = await service();
  const good = envelope(soap11, operation, range);
  const faults: [headers: Record<string, string>, body: string, code: string, reason: string][] = [
    [
      soapHeaders(soap11, 'http://tempuri.org/No'),
      good,
      'Client',
      'Server did not recognize the value of HTTP Header SOAPAction: http://tempuri.org/No.',
    ],
    [
      soapHeaders(soap11, ''),
      envelope(soap11, 'No', {}),
      'Client',
      'Unable to handle request without a valid action parameter. Please supply a valid soap action.',
    ],
    [
      soapHeaders(soap11, action),
      envelope(soap11, 'GetLifeSignalInactive', {}),
      'Client',
      `Server was unable to read request. ---&gt; The body must be &lt;${operation} xmlns=&quot;http://tempuri.org/&quot;&gt;.`,
    ],
    [
      soapHeaders(soap11, action),
      good.replace('http://tempuri.org/', 'urn:other'),
      'Client',
      `Server was unable to read request. ---&gt; The body must be &lt;${operation} `,
    ],
    [
      soapHeaders(soap11, action),
      envelope(soap12, operation, range),
      'VersionMismatch',
      'Possible SOAP version mismatch: Envelope namespace http://www.w3.org/2003/05/soap-envelope was unexpected. Expecting http://schemas.xmlsoap.org/soap/envelope/.',
    ],
    [
      soapHeaders(soap11, action),
      '<soap',
      'Client',
      'Server was unable to read request. ---&gt; The body is not XML: line 1, column 5.',
    ],
    [
      soapHeaders(soap11, action),
      '',
      'Client',
      'Server was unable to read request. ---&gt; The body is not XML',
    ],
    [
      soapHeaders(soap11, action),
      `<!DOCTYPE a [<!ENTITY x "y">]>${good.replace(/^.*?\?>/, '')}`,
      'Client',
      'Server was unable to read request. ---&gt; An XML body must not have a document type declaration (DTD).',
    ],
    [soapHeaders(soap11, action), '<Envelope/>', 'VersionMismatch', 'Possible SOAP version mismatch'],
    [
      soapHeaders(soap11, action),
      '<a/>',
      'Client',
      'Server was unable to read request. ---&gt; The document must be a SOAP envelope.',
    ],
    [
      soapHeaders(soap11, action),
      `<Envelope xmlns="${soap11.envelope}"/>`,
      'Client',
      'Server was unable to read request. ---&gt; The envelope must have a Body.',
    ],
  ];
  for (const [headers, body, code, reason] of faults) {
    const answer = await send(headers, body);
    expect(answer.status, reason).toBe(500);
    expect(answer.text).toContain(`<faultcode>soap:${code}</faultcode><faultstring>${reason}`);
  }
  const unknown = await send(soapHeaders(soap12, 'urn:x'), envelope(soap12, operation, range));
  expect(unknown.text).toContain(
    'Unable to handle request. The action &apos;urn:x&apos; was not recognized.',
  );
});

test('answers what is no SOAP message as plain HTTP does', async () => {
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

test('counts and logs a fault by whose fault it is', async () => {
  const { api, send } = await service();
  await send(soapHeaders(soap11, action), envelope(soap11, operation, { ...range, Token: 'x' }));
  await expect.poll(() => api.logged()).toContain('"msg":"request refused"');
  expect(api.logged()).toContain('"code":"invalid_credential"');
});

test('names in SOAP are configuration', async () => {
  const xml = { namespace: 'urn:acme', records: { CountEvent: 'Event', InactiveDevice: 'Unit' } };
  const api = await oneStore({ xml });
  await cross(api, [['2026-11-20T09:15:30.123Z', 1]]);
  const body = envelope(soap11, operation, range).replace('http://tempuri.org/', 'urn:acme');
  const answer = await sendSoap(
    `http://127.0.0.1:${api.port}/public/Service.asmx`,
    soapHeaders(soap11, `urn:acme/${operation}`),
    body,
  );
  expect(answer.text).toContain(
    `<${operation}Response xmlns="urn:acme"><${operation}Result><Event><DateTime>`,
  );
});
