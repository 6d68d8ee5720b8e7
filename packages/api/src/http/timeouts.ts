/** All in ms. */
export interface Timeouts {
  /** The request line and the header fields. */
  readonly headers: number;
  /** The whole request, body included. */
  readonly request: number;
  /** A connection on which nothing moves while an answer is under way: a caller that stopped reading. */
  readonly stalled: number;
}

export const defaultTimeouts: Timeouts = { headers: 10_000, request: 30_000, stalled: 60_000 };
