import { Problem } from './problem.ts';

/* What a caller is told who has to wait: the status is 429, and the header Retry-After has the seconds. */

export function tooManyExports(retryAfter: number): Problem {
  return new Problem(
    {
      title: 'Too many exports',
      status: 429,
      code: 'too_many_exports',
      detail: 'Too many date ranges are being read. Try again later.',
    },
    { 'retry-after': String(retryAfter) },
  );
}

export function tooManyRequests(retryAfter: number): Problem {
  return new Problem(
    {
      title: 'Too many requests',
      status: 429,
      code: 'too_many_requests',
      detail: 'Too many requests with this credential. Try again later.',
    },
    { 'retry-after': String(retryAfter) },
  );
}

export function tooManyFailures(retryAfter: number): Problem {
  return new Problem(
    {
      title: 'Too many failures',
      status: 429,
      code: 'too_many_failures',
      detail: 'Too many wrong credentials came from this address. Try again later.',
    },
    { 'retry-after': String(retryAfter) },
  );
}
