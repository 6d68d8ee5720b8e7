import type { Sender } from '../devices/sender.ts';

/** A device that has logged in, for as long as its connection lasts; its serial number is its client id. */
export interface Session extends Sender {
  /** SHA-256 of the secret it has logged in with. */
  readonly secretHash: Buffer;
}
