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
