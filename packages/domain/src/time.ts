declare const clock: unique symbol;

/** Milliseconds since 1970 in UTC. A plain number is accepted as one; a `MonotonicMs` is not. */
export type EpochMs = number & { readonly [clock]?: 'UTC' };

/**
 * Milliseconds on a clock that is never set. It says when something happened relative to other moments of the same clock,
 * and nothing about the date: only the unit's clock converts it.
 */
export type MonotonicMs = number & { readonly [clock]: 'monotonic' };
