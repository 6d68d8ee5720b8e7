import type { Format } from '../../formats/formats.ts';
import { fieldNames } from '../../formats/records.ts';
import {
  declaration,
  markup,
  problemMarkup,
  recordsWriter,
  type XmlNames,
  xmlName,
  xmlText,
} from '../../formats/xml.ts';
import type { ProblemCode } from '../../problems/problem-table.ts';
import type { Problem } from '../../problems/problems.ts';
import type { Operation } from '../operations/operation.ts';
import { type SoapVersion, soap11 } from './soap-version.ts';

/** The answer of an operation as a SOAP message, as ASMX writes it. */
export function soapAnswer(version: SoapVersion, { name, record }: Operation, xml: XmlNames): Format {
  return {
    mediaType: soapMediaType(version),
    begin: `${envelopeBegin(version)}<${name}Response xmlns="${xmlText(xml.namespace)}"><${name}Result>`,
    separator: '',
    records: recordsWriter(xmlName(record, xml), fieldNames(record)),
    end: `</${name}Result></${name}Response>${envelopeEnd}`,
  };
}

/** The problems of the SOAP message itself, worded as ASMX words them, with their fault codes. */
export const faultCodes: Readonly<
  Partial<Record<ProblemCode, 'client' | 'MustUnderstand' | 'VersionMismatch'>>
> = {
  unknown_action: 'client',
  missing_action: 'client',
  malformed_message: 'client',
  header_not_understood: 'MustUnderstand',
  soap_version_mismatch: 'VersionMismatch',
};

/** Statuses from 400 to 499 of a message that may succeed later without any change: a fault of the server in SOAP. */
const retryable: ReadonlySet<number> = new Set([429]);

/** A fault, with the problem in its detail. */
export function soapFaultMessage(version: SoapVersion, { code, record }: Problem): string {
  const { status, detail: text } = record;
  const ofMessage = faultCodes[code];
  const fault = ofMessage ?? (status >= 500 || retryable.has(status) ? 'server' : 'client');
  const name = fault === 'client' || fault === 'server' ? version[fault] : fault;
  const failed = `Server was unable to ${code === 'malformed_body' ? 'read' : 'process'} request. ---> `;
  const reason = ofMessage ? text : failed + text;
  /* Without a detail, a fault is about a header and not about the body (SOAP 1.1, section 4.4). */
  const detailName = version === soap11 ? 'detail' : 'soap:Detail';
  const detail =
    fault === 'MustUnderstand' ? undefined : markup`<${detailName}>${problemMarkup(record)}</${detailName}>`;
  const content =
    version === soap11
      ? markup`<faultcode>soap:${name}</faultcode><faultstring>${reason}</faultstring>${detail}`
      : markup`<soap:Code><soap:Value>soap:${name}</soap:Value></soap:Code><soap:Reason><soap:Text xml:lang="en">${reason}</soap:Text></soap:Reason>${detail}`;
  return `${envelopeBegin(version)}<soap:Fault>${content.text}</soap:Fault>${envelopeEnd}`;
}

export function soapMediaType(version: SoapVersion): string {
  return `${version.mediaType}; charset=utf-8`;
}

function envelopeBegin(version: SoapVersion): string {
  return `${declaration}<soap:Envelope xmlns:soap="${version.envelope}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema"><soap:Body>`;
}

const envelopeEnd = '</soap:Body></soap:Envelope>';
