/* Every error with its detail, by status. A detail may be reworded; programs look at the code. */

export function missingParameter(parameter: string): Problem {
  return new Problem('missing_parameter', `${parameter} is required and is missing or empty.`, { parameter });
}

export function duplicateParameter(parameter: string): Problem {
  const detail = `${parameter} is given more than once; upper and lower case make no difference.`;
  return new Problem('duplicate_parameter', detail, { parameter });
}

/** `expected` ends the sentence "<parameter> must be …". */
export function invalidParameter(parameter: string, expected: string): Problem {
  return new Problem('invalid_parameter', `${parameter} must be ${expected}.`, { parameter });
}

export function invalidDateRange(): Problem {
  return new Problem('invalid_date_range', 'DateFrom is after DateTo.', { parameter: 'DateFrom' });
}

/** The same for every reason why a credential or its company is not valid. */
export function invalidCredential(): Problem {
  return new Problem('invalid_credential', 'The credential is not valid for this operation of this company.');
}

export function unknownShopGroup(): Problem {
  const detail = 'The company has no shop group of this name.';
  return new Problem('unknown_shop_group', detail, { parameter: 'ShopGroupName' });
}

export function unknownSerialNumber(): Problem {
  const detail = 'The company has no device of this serial number.';
  return new Problem('unknown_serial_number', detail, { parameter: 'SerialNumber' });
}

export function malformedBody(detail: string): Problem {
  return new Problem('malformed_body', detail);
}

/** What cannot be read as an HTTP request at all. */
export function malformedRequest(detail = 'The request is not valid HTTP.'): Problem {
  return new Problem('malformed_request', detail);
}

export function rangeTooLarge(buckets: number): Problem {
  const detail = `An answer has at most ${buckets} buckets. Ask for fewer days or stores, or larger buckets.`;
  return new Problem('range_too_large', detail);
}

/** The position of the cursor does not exist in this database: it was restored, or the cursor is from another one. */
export function cursorOfAnotherHistory(): Problem {
  const detail =
    'The data was restored since this cursor was given out, so what follows the cursor has changed. ' +
    'Read again without `after`, or from an instant with `from`, and ignore the crossings that you have by ' +
    'their `device`, `journal` and `sequence`.';
  return new Problem('cursor_of_another_history', detail, { parameter: 'after' });
}

export function unauthenticated(): Problem {
  const detail = 'The request has no credential or session that is valid.';
  return new Problem('unauthenticated', detail, { headers: { 'www-authenticate': 'Bearer' } });
}

export function forbidden(kinds: readonly string[]): Problem {
  return new Problem('forbidden', `This needs a credential of kind ${kinds.join(' or ')}.`);
}

export function crossSiteRequest(): Problem {
  const detail = 'Requests that change something by a session need the header X-Requested-With.';
  return new Problem('cross_site_request', detail);
}

export function insecureRequest(): Problem {
  return new Problem('insecure_request', 'Units enrol over HTTPS.');
}

/** The same for a code that is wrong, expired, revoked or used up. */
export function invalidCode(): Problem {
  return new Problem('invalid_code', 'The code enrols no unit: it is wrong, expired, revoked or used up.');
}

export function notFound(): Problem {
  const detail = 'There is no such operation or path. Operation names are case-sensitive.';
  return new Problem('not_found', detail);
}

/** The same for a resource that does not exist and for one that the caller may not see. */
export function unknownResource(resource: 'store' | 'group' | 'correction', parameter: string): Problem {
  const detail = `There is no ${resource} of this name that the caller may see.`;
  return new Problem(`unknown_${resource}`, detail, { parameter });
}

export function methodNotAllowed(allow: string): Problem {
  return new Problem('method_not_allowed', `This path answers ${allow} only.`, { headers: { allow } });
}

export function requestTimeout(): Problem {
  return new Problem('request_timeout', 'The request took too long to arrive.', { headers: close });
}

export function alreadyUndone(): Problem {
  return new Problem('already_undone', 'The correction was undone before.');
}

export function otherSerial(): Problem {
  const detail = 'The code is made for the unit of another serial.';
  return new Problem('other_serial', detail, { parameter: 'serial' });
}

export function serialTaken(): Problem {
  const detail = 'A device has this serial. To replace its unit, use a code that is made for it.';
  return new Problem('serial_taken', detail, { parameter: 'serial' });
}

export function payloadTooLarge(limit: number): Problem {
  const detail = `A request body has at most ${limit} bytes.`;
  return new Problem('payload_too_large', detail, { headers: close });
}

/** `expected` are media types. */
export function unsupportedMediaType(
  expected = 'application/x-www-form-urlencoded or application/json',
): Problem {
  return new Problem('unsupported_media_type', `A request body is ${expected}, in UTF-8.`);
}

/** A compressed body, of which the size would not bound the work. */
export function unsupportedContentEncoding(): Problem {
  const detail = 'A request body is sent as it is, without Content-Encoding.';
  return new Problem('unsupported_content_encoding', detail, { headers: { 'accept-encoding': 'identity' } });
}

export function expectationFailed(): Problem {
  const detail = 'The only expectation that a request may have is 100-continue.';
  return new Problem('expectation_failed', detail, { headers: close });
}

export function tooManyExports(seconds: number): Problem {
  const detail = 'Too many date ranges are being read. Try again later.';
  return new Problem('too_many_exports', detail, retryAfter(seconds));
}

export function tooManyRequests(seconds: number): Problem {
  const detail = 'Too many requests with this credential. Try again later.';
  return new Problem('too_many_requests', detail, retryAfter(seconds));
}

export function tooManyFailures(seconds: number): Problem {
  const detail = 'Too many wrong credentials came from this address. Try again later.';
  return new Problem('too_many_failures', detail, retryAfter(seconds));
}

/** `of` completes the sentence: this credential, this company, all companies. */
export function tooManyListeners(of: string): Problem {
  const detail = `Too many live streams of ${of} are open. Close one, or try again later.`;
  return new Problem('too_many_listeners', detail, retryAfter(10));
}

export function headersTooLarge(): Problem {
  const detail = 'The request line and the header fields are too long together.';
  return new Problem('headers_too_large', detail);
}

export function internalError(): Problem {
  return new Problem('internal_error', 'The service failed to answer. Its log has the reason.');
}

/** A statement of the database exceeded its time limit. */
export function databaseTooSlow(): Problem {
  const detail = 'The database took too long to answer. Try again later.';
  return new Problem('database_too_slow', detail, retryAfter(30));
}

export function databaseUnavailable(): Problem {
  const detail = 'The service cannot reach its database at the moment. Try again later.';
  return new Problem('database_unavailable', detail, retryAfter(5));
}

const close = { connection: 'close' };

function retryAfter(seconds: number) {
  return { headers: { 'retry-after': String(seconds) } };
}

/** RFC 9457 problem details, as every error of the interface is written. */
export interface ProblemRecord {
  readonly type: string;
  readonly title: string;
  /** Equal to the HTTP status of the answer. */
  readonly status: number;
  /** Stable; what a program should look at. */
  readonly code: ProblemCode;
  readonly detail: string;
  /** The parameter, in the document's spelling, that the problem is about. */
  readonly parameter?: string;
}

export type ProblemCode = keyof typeof problemTable;

interface ProblemFacts {
  readonly parameter?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An error that is an answer: what the caller may know, and nothing else. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: ProblemCode;
  readonly record: ProblemRecord;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ProblemCode, detail: string, { headers = {}, ...about }: ProblemFacts = {}) {
    super(detail);
    const { status, title } = problemTable[code];
    this.code = code;
    this.record = { type: `urn:visitor-counter:problem:${code}`, title, status, code, detail, ...about };
    this.headers = headers;
  }
}

const soapTitle = 'SOAP message refused';

/** Every error of the interface. A code never changes its meaning or its status. */
export const problemTable = {
  missing_parameter: { status: 400, title: 'Missing parameter' },
  duplicate_parameter: { status: 400, title: 'Duplicate parameter' },
  invalid_parameter: { status: 400, title: 'Invalid parameter' },
  invalid_date_range: { status: 400, title: 'Invalid date range' },
  invalid_credential: { status: 400, title: 'Invalid credential' },
  unknown_shop_group: { status: 400, title: 'Unknown shop group' },
  unknown_serial_number: { status: 400, title: 'Unknown serial number' },
  malformed_body: { status: 400, title: 'Malformed body' },
  malformed_request: { status: 400, title: 'Malformed request' },
  range_too_large: { status: 400, title: 'Range too large' },
  cursor_of_another_history: { status: 400, title: 'Cursor of another history' },
  unknown_action: { status: 400, title: soapTitle },
  missing_action: { status: 400, title: soapTitle },
  malformed_message: { status: 400, title: soapTitle },
  header_not_understood: { status: 400, title: soapTitle },
  soap_version_mismatch: { status: 400, title: soapTitle },
  unauthenticated: { status: 401, title: 'Unauthenticated' },
  forbidden: { status: 403, title: 'Forbidden' },
  cross_site_request: { status: 403, title: 'Cross-site request' },
  invalid_code: { status: 403, title: 'Invalid code' },
  insecure_request: { status: 403, title: 'Insecure request' },
  not_found: { status: 404, title: 'Not found' },
  unknown_store: { status: 404, title: 'Unknown store' },
  unknown_group: { status: 404, title: 'Unknown group' },
  unknown_correction: { status: 404, title: 'Unknown correction' },
  method_not_allowed: { status: 405, title: 'Method not allowed' },
  request_timeout: { status: 408, title: 'Request timeout' },
  already_undone: { status: 409, title: 'Already undone' },
  serial_taken: { status: 409, title: 'Serial taken' },
  other_serial: { status: 409, title: 'Other serial' },
  payload_too_large: { status: 413, title: 'Payload too large' },
  unsupported_media_type: { status: 415, title: 'Unsupported media type' },
  unsupported_content_encoding: { status: 415, title: 'Unsupported content encoding' },
  expectation_failed: { status: 417, title: 'Expectation failed' },
  too_many_exports: { status: 429, title: 'Too many exports' },
  too_many_requests: { status: 429, title: 'Too many requests' },
  too_many_failures: { status: 429, title: 'Too many failures' },
  too_many_listeners: { status: 429, title: 'Too many listeners' },
  headers_too_large: { status: 431, title: 'Request header fields too large' },
  internal_error: { status: 500, title: 'Internal error' },
  database_too_slow: { status: 503, title: 'Database too slow' },
  database_unavailable: { status: 503, title: 'Database unavailable' },
} as const satisfies Record<string, { readonly status: number; readonly title: string }>;
