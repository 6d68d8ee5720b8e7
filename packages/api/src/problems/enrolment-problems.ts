import { Problem } from './problem.ts';

/* The errors that only enrolment has. */

/** One answer for a code that is wrong, expired, revoked or used up: it tells nothing apart. */
export function invalidCode(): Problem {
  return new Problem({
    title: 'Invalid code',
    status: 403,
    code: 'invalid_code',
    detail: 'The code enrols no unit: it is wrong, expired, revoked or used up.',
  });
}

export function insecureRequest(): Problem {
  return new Problem({
    title: 'Insecure request',
    status: 403,
    code: 'insecure_request',
    detail: 'Units enrol over HTTPS.',
  });
}

export function serialTaken(): Problem {
  return new Problem({
    title: 'Serial taken',
    status: 409,
    code: 'serial_taken',
    detail: 'A device has this serial. To replace its unit, use a code that is made for it.',
    parameter: 'serial',
  });
}

export function otherSerial(): Problem {
  return new Problem({
    title: 'Other serial',
    status: 409,
    code: 'other_serial',
    detail: 'The code is made for the unit of another serial.',
    parameter: 'serial',
  });
}
