import type { Format, RecordShape } from '../../formats/formats.ts';
import { declaration, markup, problemMarkup, recordsWriter, xmlText } from '../../formats/xml.ts';
import { Problem, type ProblemCode, type ProblemRecord } from '../../problems/problems.ts';
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

export type FaultCode = 'client' | 'server' | 'MustUnderstand' | 'VersionMismatch';

/** A fault as SOAP callers receive it, with the problem in its detail. */
export interface SoapFault {
  readonly code: FaultCode;
  readonly reason: string;
  readonly record: ProblemRecord;
}

/** The problems of the SOAP message itself, worded as ASMX words them. */
const ofMessages: Readonly<Partial<Record<ProblemCode, FaultCode>>> = {
  unknown_action: 'client',
  missing_action: 'client',
  malformed_message: 'client',
  header_not_understood: 'MustUnderstand',
  soap_version_mismatch: 'VersionMismatch',
};

/**
 * Converts a problem to a fault. By the SOAP specification, a message that may succeed later without any change is a
 * fault of the server, although HTTP has a status from 400 to 499 for it.
 */
export function faultOf(problem: Problem): SoapFault {
  const { record } = problem;
  const ofMessage = ofMessages[record.code];
  if (ofMessage) return { code: ofMessage, reason: record.detail, record };
  const code = record.status >= 500 || retryable.has(record.status) ? 'server' : 'client';
  const action = record.code === 'malformed_body' ? 'read' : 'process';
  return { code, reason: `Server was unable to ${action} request. ---> ${record.detail}`, record };
}

const retryable: ReadonlySet<number> = new Set([408, 429]);

export function unknownAction(version: SoapVersion, action: string): Problem {
  return new Problem('unknown_action', version.unknownAction(action));
}

export function noAction(): Problem {
  const detail =
    'Unable to handle request without a valid action parameter. Please supply a valid soap action.';
  return new Problem('missing_action', detail);
}

/** `expected` is a sentence. */
export function unexpectedMessage(expected: string): Problem {
  return new Problem('malformed_message', `Server was unable to read request. ---> ${expected}`);
}

export function notUnderstood(header: string): Problem {
  const detail = `SOAP header ${header} was not understood.`;
  return new Problem('header_not_understood', detail);
}

export function versionMismatch(namespace: string, version: SoapVersion): Problem {
  const detail = `Possible SOAP version mismatch: Envelope namespace ${namespace} was unexpected. Expecting ${version.envelope}.`;
  return new Problem('soap_version_mismatch', detail);
}
