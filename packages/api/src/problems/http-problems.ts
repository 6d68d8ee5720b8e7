import { Problem } from './problem.ts';

/* The errors of requests that get to no operation: what is wrong with them as HTTP. */

/** What cannot be read as an HTTP request at all. */
export function malformedRequest(detail = 'The request is not valid HTTP.'): Problem {
  return new Problem({
    title: 'Malformed request',
    status: 400,
    code: 'malformed_request',
    detail,
  });
}

export function requestTimeout(): Problem {
  return new Problem(
    {
      title: 'Request timeout',
      status: 408,
      code: 'request_timeout',
      detail: 'The request took too long to arrive.',
    },
    { connection: 'close' },
  );
}

/** A body that is compressed: its size would say nothing about the work that it makes. */
export function unsupportedContentEncoding(): Problem {
  return new Problem(
    {
      title: 'Unsupported content encoding',
      status: 415,
      code: 'unsupported_content_encoding',
      detail: 'A request body is sent as it is, without Content-Encoding.',
    },
    { 'accept-encoding': 'identity' },
  );
}

export function expectationFailed(): Problem {
  return new Problem(
    {
      title: 'Expectation failed',
      status: 417,
      code: 'expectation_failed',
      detail: 'The only expectation that a request may have is 100-continue.',
    },
    { connection: 'close' },
  );
}

export function headersTooLarge(): Problem {
  return new Problem({
    title: 'Request header fields too large',
    status: 431,
    code: 'headers_too_large',
    detail: 'The request line and the header fields are too long together.',
  });
}
