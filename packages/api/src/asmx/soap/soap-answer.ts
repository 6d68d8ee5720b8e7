import type { Format, RecordShape } from '../../formats/format.ts';
import { declaration, problemMarkup, recordsWriter } from '../../formats/xml.ts';
import { markup, xmlText } from '../../xml/markup.ts';
import type { SoapFault } from './soap-fault.ts';
import { type SoapVersion, soap11 } from './soap-version.ts';

/** The answer of an operation as a SOAP message, as ASMX writes it. */
export function soapAnswer(
  version: SoapVersion,
  operation: string,
  { record, namespace }: { record: RecordShape; namespace: string },
): Format {
  return {
    mediaType: soapMediaType(version),
    begin: `${envelopeBegin(version)}<${operation}Response xmlns="${xmlText(namespace)}"><${operation}Result>`,
    separator: '',
    records: recordsWriter(record),
    end: `</${operation}Result></${operation}Response>${envelopeEnd}`,
  };
}

/** A fault, with the problem in its detail where there is one. */
export function soapFaultMessage(version: SoapVersion, fault: SoapFault): string {
  const { code, reason, record } = fault;
  const name = code === 'client' || code === 'server' ? version[code] : code;
  /* A fault about a header must have no detail: that is for faults about the body. */
  const detail = code === 'MustUnderstand' ? undefined : problemMarkup(record);
  const content =
    version === soap11
      ? markup`<faultcode>soap:${name}</faultcode><faultstring>${reason}</faultstring><detail>${detail}</detail>`
      : markup`<soap:Code><soap:Value>soap:${name}</soap:Value></soap:Code><soap:Reason><soap:Text xml:lang="en">${reason}</soap:Text></soap:Reason><soap:Detail>${detail}</soap:Detail>`;
  return `${envelopeBegin(version)}<soap:Fault>${content.text}</soap:Fault>${envelopeEnd}`;
}

export function soapMediaType(version: SoapVersion): string {
  return `${version.mediaType}; charset=utf-8`;
}

function envelopeBegin(version: SoapVersion): string {
  return `${declaration}<soap:Envelope xmlns:soap="${version.envelope}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema"><soap:Body>`;
}

const envelopeEnd = '</soap:Body></soap:Envelope>';
