import { hashSecret } from '@visitor-counter/database/secret';
import type { Authorize } from './authorize.ts';
import type { CallerLimits } from './caller-limits.ts';

/** The same within limits. Throws `too_many_failures` and `too_many_requests` besides. */
export function limitingCallers(authorize: Authorize, limits: CallerLimits): Authorize {
  return (presented) =>
    limits.admit(presented.address, hashSecret(presented.credential), () => authorize(presented));
}
