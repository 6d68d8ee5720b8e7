/** The device that has sent a message. */
export interface Sender {
  readonly deviceId: number;
  readonly serial: string;
  /** Connections of a device are numbered in ascending order. */
  readonly generation: bigint;
}
