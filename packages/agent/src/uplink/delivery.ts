import type { Prefix, Sent } from './in-flight.ts';

/** What has been sent and what comes next. The two kinds differ in what frees the journal. */
export interface Delivery {
  /** The sequence to read on from. */
  readonly next: number;
  /** Whether another message may be in flight. */
  readonly hasRoom: boolean;
  /** A message is in flight; it begins at `next`, or this throws. */
  sent(sent: Sent): void;
  /** The sequences from `next` through this one are declared lost; returns the prefix that the journal may free now, if any. */
  lost(through: number): Prefix | undefined;
  /** Forgets all messages in flight, and continues after `acknowledged`. */
  restart(acknowledged: Prefix): void;
  /** Its PUBACK has come; returns the prefix that the journal may free now, if any. */
  acknowledged(sent: Sent): Prefix | undefined;
}
