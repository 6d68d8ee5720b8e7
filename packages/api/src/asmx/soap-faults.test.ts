import { expect, test } from 'vitest';
import { credentials, oneStore } from '../../test/one-store.ts';
import { envelope, sendSoap, soapHeaders, versions } from '../../test/soap.ts';
import { soap11, soap12 } from './soap/soap-version.ts';

const operation = 'GetCountsByCompanyAndDatePublic';
const action = `http://tempuri.org/${operation}`;
const range = { ...credentials, DateFrom: '2026-11-20', DateTo: '2026-11-20' };

async function service() {
  const api = await oneStore();
  const url = `http://127.0.0.1:${api.port}/public/service.asmx`;
  return { api, send: (headers: Record<string, string>, body: string) => sendSoap(url, headers, body) };
}

test("SOAP 1.1 reports a caller's mistake as a Client fault, with the problem in its detail", async () => {
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

test('SOAP 1.2 reports it as a Sender fault', async () => {
  const { send } = await service();
  const answer = await send(
    soapHeaders(soap12, action),
    envelope(soap12, operation, { ...range, Token: 'x' }),
  );
  expect(answer.status).toBe(500);
  expect(answer.contentType).toBe('application/soap+xml; charset=utf-8');
  expect(answer.text).toContain(
    '<soap:Fault><soap:Code><soap:Value>soap:Sender</soap:Value></soap:Code><soap:Reason><soap:Text xml:lang="en">' +
      'Server was unable to process request. ---&gt; The credential is not valid for this operation of this company.' +
      '</soap:Text></soap:Reason><soap:Detail><problem xmlns="urn:ietf:rfc:7807">',
  );
});

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
      expect(answer.text).not.toMatch(/<(soap:)?detail/i);
    }
  }
});

test('words errors of a message like ASMX', async () => {
  const { send } = await service();
  const good = envelope(soap11, operation, range);
  const own = soapHeaders(soap11, action);
  const fault = async (headers: Record<string, string>, body: string) => {
    const { status, text } = await send(headers, body);
    expect(status).toBe(500);
    return text.replace(/^.*<soap:Fault>/s, '');
  };
  const client = '<faultcode>soap:Client</faultcode><faultstring>';

  const unreadable = {
    [envelope(soap11, 'GetLifeSignalInactive', {})]:
      `The body must be &lt;${operation} xmlns=&quot;http://tempuri.org/&quot;&gt;.`,
    [good.replace('http://tempuri.org/', 'urn:other')]: `The body must be &lt;${operation} `,
    '<soap': 'The body is not XML: line 1, column 5.',
    '': 'The body is not XML',
    [`<!DOCTYPE a [<!ENTITY x "y">]>${good.replace(/^.*?\?>/, '')}`]:
      'An XML body must not have a document type declaration (DTD).',
    '<a/>': 'The document must be a SOAP envelope.',
    [`<Envelope xmlns="${soap11.envelope}"/>`]: 'The envelope must have a Body.',
  };
  for (const [body, reason] of Object.entries(unreadable))
    expect(await fault(own, body)).toContain(`${client}Server was unable to read request. ---&gt; ${reason}`);

  const unknown = 'http://tempuri.org/No';
  const no = envelope(soap11, 'No', {});
  expect(await fault(soapHeaders(soap11, unknown), no)).toContain(
    `${client}Server did not recognize the value of HTTP Header SOAPAction: ${unknown}.`,
  );
  expect(await fault(soapHeaders(soap11, ''), no)).toContain(
    `${client}Unable to handle request without a valid action parameter. Please supply a valid soap action.`,
  );
  expect(await fault(soapHeaders(soap12, 'urn:x'), envelope(soap12, 'No', range))).toContain(
    'Unable to handle request. The action &apos;urn:x&apos; was not recognized.',
  );

  const mismatch = '<faultcode>soap:VersionMismatch</faultcode><faultstring>Possible SOAP version mismatch';
  expect(await fault(own, envelope(soap12, operation, range))).toContain(
    `${mismatch}: Envelope namespace http://www.w3.org/2003/05/soap-envelope was unexpected. Expecting http://schemas.xmlsoap.org/soap/envelope/.`,
  );
  expect(await fault(own, '<Envelope/>')).toContain(mismatch);
});
