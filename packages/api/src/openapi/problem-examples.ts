import * as problems from '../problems/problems.ts';
import { Problem, type ProblemCode } from '../problems/problems.ts';

/** The parts of the interface with error answers of their own: the operations, and /v1. */
export type Part = 'operations' | 'v1';

/** One of every problem in each part that answers with it: the compiler finds a code that is missing here. */
const examples: Readonly<Record<ProblemCode, Readonly<Partial<Record<Part, Problem>>>>> = {
  missing_parameter: {
    operations: problems.missingParameter('Token'),
    v1: problems.missingParameter('token'),
  },
  duplicate_parameter: {
    operations: problems.duplicateParameter('Token'),
    v1: problems.duplicateParameter('limit'),
  },
  invalid_parameter: {
    operations: problems.invalidParameter('InactiveForHours', 'a decimal number above 0, such as 24 or 2.5'),
    v1: problems.invalidParameter('limit', 'a whole number from 1 to 1000'),
  },
  invalid_date_range: { operations: new Problem('invalid_date_range') },
  invalid_credential: { operations: new Problem('invalid_credential') },
  unknown_shop_group: { operations: new Problem('unknown_shop_group') },
  unknown_serial_number: { operations: new Problem('unknown_serial_number') },
  malformed_body: inBoth(problems.malformedBody('The body is not JSON.')),
  malformed_request: { operations: new Problem('malformed_request') },
  range_too_large: { v1: problems.rangeTooLarge(10_000) },
  cursor_of_another_history: { v1: new Problem('cursor_of_another_history') },
  /* SOAP callers receive these in faults, which the WSDL describes. */
  unknown_action: {},
  missing_action: {},
  malformed_message: {},
  header_not_understood: {},
  soap_version_mismatch: {},
  unauthenticated: { v1: new Problem('unauthenticated') },
  forbidden: { v1: problems.forbidden(['staff']) },
  cross_site_request: { v1: new Problem('cross_site_request') },
  invalid_code: { v1: new Problem('invalid_code') },
  insecure_request: { v1: new Problem('insecure_request') },
  not_found: { operations: new Problem('not_found') },
  unknown_store: { v1: problems.unknownResource('store', 'store') },
  unknown_group: { v1: problems.unknownResource('group', 'group') },
  unknown_correction: { v1: problems.unknownResource('correction', 'id') },
  method_not_allowed: { operations: problems.methodNotAllowed('POST') },
  request_timeout: { operations: new Problem('request_timeout') },
  already_undone: { v1: new Problem('already_undone') },
  serial_taken: { v1: new Problem('serial_taken') },
  other_serial: { v1: new Problem('other_serial') },
  payload_too_large: inBoth(problems.payloadTooLarge(65_536)),
  unsupported_media_type: inBoth(problems.unsupportedMediaType()),
  unsupported_content_encoding: { operations: new Problem('unsupported_content_encoding') },
  expectation_failed: { operations: new Problem('expectation_failed') },
  too_many_exports: inBoth(problems.tooMany('exports', 5)),
  too_many_requests: inBoth(problems.tooMany('requests', 1)),
  too_many_failures: inBoth(problems.tooMany('failures', 1)),
  too_many_listeners: { v1: problems.tooManyListeners('this credential') },
  headers_too_large: { operations: new Problem('headers_too_large') },
  internal_error: inBoth(new Problem('internal_error')),
  database_too_slow: inBoth(new Problem('database_too_slow')),
  database_unavailable: inBoth(new Problem('database_unavailable')),
};

function inBoth(problem: Problem) {
  return { operations: problem, v1: problem };
}

/** The problems of a part by their status, in ascending order. */
export function problemsByStatus(part: Part): ReadonlyMap<number, readonly Problem[]> {
  const found = Object.values(examples).flatMap((example) => example[part] ?? []);
  found.sort((a, b) => a.record.status - b.record.status);
  return Map.groupBy(found, ({ record }) => record.status);
}
