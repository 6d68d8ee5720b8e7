import type { PatienceLimits } from './patience.ts';

/** How long a caller may take to read an answer. In ms where nothing else is said. */
export interface BodyTimeouts extends PatienceLimits {
  /** For a piece of 64 KiB while others wait for the place: a caller that does not read loses it. */
  readonly contested: number;
}

/** In ms where nothing else is said. */
export interface Timeouts extends BodyTimeouts {
  /** The request line and the header fields. */
  readonly headers: number;
  /** The whole request, body included. */
  readonly request: number;
  /** A connection on which nothing moves while an answer is under way: a caller that stopped reading. */
  readonly stalled: number;
}

/** 16 KiB a second are 128 kbit/s, and an eighth of that for who asks for compression. */
export const defaultTimeouts: Timeouts = {
  headers: 10_000,
  request: 30_000,
  stalled: 60_000,
  contested: 10_000,
  grace: 60_000,
  lowestRate: 16_384,
};
