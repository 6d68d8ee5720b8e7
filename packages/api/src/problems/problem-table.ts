/** What an error of the interface is by default. */
export interface ProblemRow {
  readonly status: number;
  /** The code in words by default. */
  readonly title?: string;
  /** Where it is always the same. */
  readonly detail?: string;
  /** The parameter, in the document's spelling, that the problem is about. */
  readonly parameter?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const soap = { status: 400, title: 'SOAP message refused' };
export const retryAfter = (seconds: number) => ({ 'retry-after': String(seconds) });

/**
 * Every error of the interface. A code never changes its meaning or its status; a detail may be reworded. The details
 * do not distinguish what does not exist from what the caller may not see.
 */
export const problemTable = {
  missing_parameter: { status: 400 },
  duplicate_parameter: { status: 400 },
  invalid_parameter: { status: 400 },
  invalid_date_range: { status: 400, parameter: 'DateFrom' },
  invalid_credential: {
    status: 400,
    detail: 'The credential is not valid for this operation of this company.',
  },
  unknown_shop_group: {
    status: 400,
    detail: 'The company has no shop group of this name.',
    parameter: 'ShopGroupName',
  },
  unknown_serial_number: {
    status: 400,
    detail: 'The company has no device of this serial number.',
    parameter: 'SerialNumber',
  },
  malformed_body: { status: 400 },
  invalid_lines: { status: 400 },
  malformed_request: { status: 400, detail: 'The request is not valid HTTP.' },
  range_too_large: { status: 400 },
  /* Retention: the company keeps crossings for a limited time. */
  crossings_removed: { status: 400 },
  /* The cursor is from before a restore or a failover. */
  cursor_of_another_history: {
    status: 400,
    parameter: 'after',
  },
  unknown_action: soap,
  missing_action: {
    ...soap,
    detail: 'Unable to handle request without a valid action parameter. Please supply a valid soap action.',
  },
  malformed_message: soap,
  header_not_understood: soap,
  soap_version_mismatch: soap,
  unauthenticated: {
    status: 401,
    detail: 'The request has no credential or session that is valid.',
    headers: { 'www-authenticate': 'Bearer' },
  },
  forbidden: { status: 403 },
  cross_site_request: {
    status: 403,
    title: 'Cross-site request',
    detail: 'Requests that change something by a session need the header X-Requested-With.',
  },
  invalid_code: {
    status: 403,
    detail: 'The code enrols no unit: it is wrong, expired, revoked or used up.',
  },
  insecure_request: { status: 403, detail: 'This request must be sent over HTTPS.' },
  not_found: {
    status: 404,
    detail: 'There is no such operation or path. Operation names are case-sensitive.',
  },
  unknown_store: { status: 404 },
  unknown_group: { status: 404 },
  unknown_correction: { status: 404 },
  unknown_report: { status: 404 },
  unknown_device: { status: 404 },
  unknown_passage: { status: 404 },
  method_not_allowed: { status: 405 },
  already_undone: { status: 409, detail: 'The entry was undone before.' },
  id_conflict: {
    status: 409,
    detail: 'The `id` was used before for an entry with other content.',
    parameter: 'id',
  },
  serial_taken: {
    status: 409,
    detail: 'A device has this serial. To replace its unit, use a code that is made for it.',
    parameter: 'serial',
  },
  other_serial: {
    status: 409,
    detail: 'The code is made for the unit of another serial.',
    parameter: 'serial',
  },
  payload_too_large: { status: 413, headers: { connection: 'close' } },
  unsupported_media_type: { status: 415 },
  /* A compressed body, of which the size would not bound the work. */
  unsupported_content_encoding: {
    status: 415,
    detail: 'A request body is sent as it is, without Content-Encoding.',
    headers: { 'accept-encoding': 'identity' },
  },
  too_many_exports: { status: 429, detail: 'Too many date ranges are being read. Try again later.' },
  too_many_requests: { status: 429, detail: 'Too many requests with this credential. Try again later.' },
  too_many_failures: {
    status: 429,
    detail: 'Too many wrong credentials came from this address. Try again later.',
  },
  too_many_listeners: { status: 429, headers: retryAfter(10) },
  internal_error: { status: 500, detail: 'The service failed to answer. Its log has the reason.' },
  /* A statement of the database exceeded its time limit. */
  database_too_slow: {
    status: 503,
    detail: 'The database took too long to answer. Try again later.',
    headers: retryAfter(30),
  },
  database_unavailable: {
    status: 503,
    detail: 'The service cannot reach its database at the moment. Try again later.',
    headers: retryAfter(5),
  },
} as const satisfies Record<string, ProblemRow>;

export type ProblemCode = keyof typeof problemTable;
