import { Problem, type ProblemRecord } from '../../problems/problem.ts';
import type { SoapVersion } from './soap-version.ts';

export type FaultCode = 'client' | 'server' | 'MustUnderstand' | 'VersionMismatch';

/** What a SOAP caller is told; the problem stands in its detail. */
export interface SoapFault {
  readonly code: FaultCode;
  readonly reason: string;
  readonly record: ProblemRecord;
}

/** A problem of the SOAP message itself, worded as ASMX words it. */
export class SoapProblem extends Problem {
  readonly faultCode: FaultCode;

  constructor(code: string, detail: string, faultCode: FaultCode = 'client') {
    super({ title: 'SOAP message refused', status: 400, code, detail });
    this.faultCode = faultCode;
  }
}

/**
 * The fault that a problem is. What may succeed later without any change of the message is the server's fault
 * by the SOAP specification, although HTTP counts it with the caller's.
 */
export function faultOf(problem: Problem): SoapFault {
  const { record } = problem;
  if (problem instanceof SoapProblem) return { code: problem.faultCode, reason: record.detail, record };
  const code = record.status >= 500 || later.has(record.status) ? 'server' : 'client';
  const action = record.code === 'malformed_body' ? 'read' : 'process';
  return { code, reason: `Server was unable to ${action} request. ---> ${record.detail}`, record };
}

const later: ReadonlySet<number> = new Set([408, 429]);

export function unknownAction(version: SoapVersion, action: string): SoapProblem {
  return new SoapProblem('unknown_action', version.unknownAction(action));
}

export function noAction(): SoapProblem {
  const detail =
    'Unable to handle request without a valid action parameter. Please supply a valid soap action.';
  return new SoapProblem('missing_action', detail);
}

/** `expected` is a sentence. */
export function unexpectedMessage(expected: string): SoapProblem {
  return new SoapProblem('malformed_message', `Server was unable to read request. ---> ${expected}`);
}

export function notUnderstood(header: string): SoapProblem {
  const detail = `SOAP header ${header} was not understood.`;
  return new SoapProblem('header_not_understood', detail, 'MustUnderstand');
}

export function versionMismatch(namespace: string, version: SoapVersion): SoapProblem {
  const detail = `Possible SOAP version mismatch: Envelope namespace ${namespace} was unexpected. Expecting ${version.envelope}.`;
  return new SoapProblem('soap_version_mismatch', detail, 'VersionMismatch');
}
