import type { Holder } from '../backpressure/memory-budget.ts';

/** Whom a message is from. */
export interface Sender extends Holder {
  readonly deviceId: number;
  readonly serial: string;
  /** The number of the connection among all that the device ever made. */
  readonly generation: bigint;
}
