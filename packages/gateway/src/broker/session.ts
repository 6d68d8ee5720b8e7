import type { Holder } from '../ingest/group-committer.ts';

/** A device that has logged in, for as long as its connection lasts. */
export interface Session extends Holder {
  readonly deviceId: number;
  /** Its serial number, which is also its client id. */
  readonly serial: string;
  /** The number of this connection among all that the device ever made. */
  readonly generation: bigint;
  /** SHA-256 of the secret it has logged in with. */
  readonly secretHash: Buffer;
}
