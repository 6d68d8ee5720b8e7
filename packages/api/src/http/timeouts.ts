import type { PatienceLimits } from './patience.ts';

/** How long a caller may take to read an answer (ms unless stated otherwise). */
export interface BodyTimeouts extends PatienceLimits {
  /** For a piece of 64 KiB while others wait for the slot: a caller that does not read loses it. */
  readonly contested: number;
}

/** In ms unless stated otherwise. */
export interface Timeouts extends BodyTimeouts {
  /** The request line and the header fields. */
  readonly headers: number;
  /** The whole request, body included. */
  readonly request: number;
  /** A connection without traffic while an answer is in progress: a caller that stopped reading. */
  readonly stalled: number;
}

/** 16 KiB a second are 128 kbit/s, with compression about an eighth of that. */
export const defaultTimeouts: Timeouts = {
  headers: 10_000,
  request: 30_000,
  stalled: 60_000,
  contested: 10_000,
  grace: 60_000,
  lowestRate: 16_384,
};
