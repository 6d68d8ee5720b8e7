import { Problem } from './problem.ts';

/* The errors that only /v1 has. */

export function unauthenticated(): Problem {
  return new Problem(
    {
      title: 'Unauthenticated',
      status: 401,
      code: 'unauthenticated',
      detail: 'The request has no credential or session that is valid.',
    },
    { 'www-authenticate': 'Bearer' },
  );
}

export function forbidden(kinds: readonly string[]): Problem {
  const detail = `This needs a credential of kind ${kinds.join(' or ')}.`;
  return new Problem({ title: 'Forbidden', status: 403, code: 'forbidden', detail });
}

export function crossSiteRequest(): Problem {
  return new Problem({
    title: 'Cross-site request',
    status: 403,
    code: 'cross_site_request',
    detail: 'Requests that change something by a session need the header X-Requested-With.',
  });
}

export type Resource = 'store' | 'device' | 'group' | 'correction';

/** The same for what does not exist and for what the caller may not see. */
export function unknownResource(resource: Resource, parameter: string): Problem {
  return new Problem({
    title: `Unknown ${resource}`,
    status: 404,
    code: `unknown_${resource}`,
    detail: `There is no ${resource} of this name that the caller may see.`,
    parameter,
  });
}

export function alreadyUndone(): Problem {
  return new Problem({
    title: 'Already undone',
    status: 409,
    code: 'already_undone',
    detail: 'The correction was undone before.',
  });
}

export function rangeTooLarge(buckets: number): Problem {
  return new Problem({
    title: 'Range too large',
    status: 400,
    code: 'range_too_large',
    detail: `An answer has at most ${buckets} buckets. Ask for fewer days or stores, or larger buckets.`,
  });
}

/** The cursor names a place that the database does not have: it was restored, or the cursor is of another one. */
export function cursorOfAnotherHistory(): Problem {
  return new Problem({
    title: 'Cursor of another history',
    status: 400,
    code: 'cursor_of_another_history',
    detail:
      'The data was restored since this cursor was given out, so what follows the cursor has changed. ' +
      'Read again without `after`, or from an instant with `from`, and ignore the crossings that you have by ' +
      'their `device`, `journal` and `sequence`.',
    parameter: 'after',
  });
}

/** `of`: whose streams are too many, to complete the sentence. */
export function tooManyListeners(of: string): Problem {
  return new Problem(
    {
      title: 'Too many listeners',
      status: 429,
      code: 'too_many_listeners',
      detail: `Too many live streams of ${of} are open. Close one, or try again later.`,
    },
    { 'retry-after': '10' },
  );
}
