import type { StoredAssignment } from '@visitor-counter/database/topology/topology';

/** An assignment to write, and when the next one begins (epoch ms; infinite if there is none). */
export interface PlannedMove {
  readonly since: number;
  readonly until: number;
}

/**
 * The assignment that makes a device belong to `store` from `since` (epoch ms) on, until its next
 * assignment; undefined if it belongs to that store at `since` already, so applying a file again changes nothing.
 * `assignments` are in order.
 */
export function planMove(
  assignments: readonly StoredAssignment[],
  store: string,
  since: number,
): PlannedMove | undefined {
  const current = assignments.findLast((assignment) => assignment.since <= since);
  if (current?.store === store) return undefined;
  const next = assignments.find((assignment) => assignment.since > since);
  return {
    since: current === undefined ? Number.NEGATIVE_INFINITY : since,
    until: next?.since ?? Number.POSITIVE_INFINITY,
  };
}
