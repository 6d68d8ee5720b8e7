import type { Sent } from './in-flight.ts';

/** What has been sent and what comes next. The two kinds differ in what frees the journal. */
export interface Delivery {
  /** The sequence to read on from. */
  readonly next: number;
  /** Whether another message may be on its way. */
  readonly hasRoom: boolean;
  /** A message is on its way. */
  sent(sent: Sent): void;
  /** Forgets what was sent; what comes next follows `acknowledged`. */
  restart(acknowledged: number): void;
  /** Its PUBACK has come; returns the newest message of the prefix that the journal may free now, if any. */
  acknowledged(sent: Sent): Sent | undefined;
}
