import { Problem } from './problem.ts';

/* All errors of the interface. A code never changes its meaning; details may be reworded. */

export function missingParameter(parameter: string): Problem {
  const detail = `${parameter} is required and is missing or empty.`;
  return new Problem({
    title: 'Missing parameter',
    status: 400,
    code: 'missing_parameter',
    detail,
    parameter,
  });
}

export function duplicateParameter(parameter: string): Problem {
  const detail = `${parameter} is given more than once; upper and lower case make no difference.`;
  return new Problem({
    title: 'Duplicate parameter',
    status: 400,
    code: 'duplicate_parameter',
    detail,
    parameter,
  });
}

/** `expected` ends the sentence "<parameter> must be …". */
export function invalidParameter(parameter: string, expected: string): Problem {
  const detail = `${parameter} must be ${expected}.`;
  return new Problem({
    title: 'Invalid parameter',
    status: 400,
    code: 'invalid_parameter',
    detail,
    parameter,
  });
}

export function invalidDateRange(): Problem {
  return new Problem({
    title: 'Invalid date range',
    status: 400,
    code: 'invalid_date_range',
    detail: 'DateFrom is after DateTo.',
    parameter: 'DateFrom',
  });
}

/** One answer for everything that can be wrong with a credential or its company: it tells nothing apart. */
export function invalidCredential(): Problem {
  return new Problem({
    title: 'Invalid credential',
    status: 400,
    code: 'invalid_credential',
    detail: 'The credential is not valid for this operation of this company.',
  });
}

export function unknownShopGroup(): Problem {
  return new Problem({
    title: 'Unknown shop group',
    status: 400,
    code: 'unknown_shop_group',
    detail: 'The company has no shop group of this name.',
    parameter: 'ShopGroupName',
  });
}

export function unknownSerialNumber(): Problem {
  return new Problem({
    title: 'Unknown serial number',
    status: 400,
    code: 'unknown_serial_number',
    detail: 'The company has no device of this serial number.',
    parameter: 'SerialNumber',
  });
}

export function malformedBody(detail: string): Problem {
  return new Problem({ title: 'Malformed body', status: 400, code: 'malformed_body', detail });
}

export function notFound(): Problem {
  return new Problem({
    title: 'Not found',
    status: 404,
    code: 'not_found',
    detail: 'There is no such operation or path. Operation names are case-sensitive.',
  });
}

export function methodNotAllowed(allow: string): Problem {
  const detail = `This path answers ${allow} only.`;
  return new Problem(
    { title: 'Method not allowed', status: 405, code: 'method_not_allowed', detail },
    { allow },
  );
}

export function payloadTooLarge(limit: number): Problem {
  return new Problem(
    {
      title: 'Payload too large',
      status: 413,
      code: 'payload_too_large',
      detail: `A request body has at most ${limit} bytes.`,
    },
    { connection: 'close' },
  );
}

/** `expected` are media types. */
export function unsupportedMediaType(
  expected = 'application/x-www-form-urlencoded or application/json',
): Problem {
  return new Problem({
    title: 'Unsupported media type',
    status: 415,
    code: 'unsupported_media_type',
    detail: `A request body is ${expected}, in UTF-8.`,
  });
}

/** A statement of the database took longer than it may. */
export function databaseTooSlow(): Problem {
  return new Problem(
    {
      title: 'Database too slow',
      status: 503,
      code: 'database_too_slow',
      detail: 'The database took too long to answer. Try again later.',
    },
    { 'retry-after': '30' },
  );
}

export function databaseUnavailable(): Problem {
  return new Problem(
    {
      title: 'Database unavailable',
      status: 503,
      code: 'database_unavailable',
      detail: 'The service cannot reach its database at the moment. Try again later.',
    },
    { 'retry-after': '5' },
  );
}

export function internalError(): Problem {
  return new Problem({
    title: 'Internal error',
    status: 500,
    code: 'internal_error',
    detail: 'The service failed to answer. Its log has the reason.',
  });
}
