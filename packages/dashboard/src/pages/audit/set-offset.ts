import { clockOffset } from '../../data/audit-calls.ts';
import type { KeptTaps } from './taps.ts';

/** Compares the clocks of this device and of the server, unless that was done before. Throws if the server is unreachable. */
export async function setOffset(kept: KeptTaps): Promise<void> {
  if (kept.read()?.offset === null) kept.setOffset(await clockOffset());
}
