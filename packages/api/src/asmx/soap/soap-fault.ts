import { Problem, type ProblemCode, type ProblemRecord } from '../../problems/problem.ts';
import type { SoapVersion } from './soap-version.ts';

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
