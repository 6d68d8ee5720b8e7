import { attackConnection } from './attack-connection.ts';
import { Random } from './random.ts';
import type { KnownDevice } from './well-formed.ts';

export interface FuzzOptions {
  readonly port: number;
  readonly devices: readonly [KnownDevice, ...KnownDevice[]];
  readonly packets: number;
  readonly seed: number;
  /** Told now and then how many packets were sent. */
  readonly onProgress?: (sent: number) => void;
}

/** Connections at a time, each with random numbers of its own: their order does not change what they send. */
const lanes = 32;

/** Sends at least so many packets; the last ones may still be under way at the other end. */
export async function fuzz({ port, devices, packets, seed, onProgress }: FuzzOptions): Promise<number> {
  let sent = 0;
  const run = async (lane: number) => {
    const random = new Random(seed + lane);
    while (sent < packets) {
      sent += await attackConnection(port, random, random.pick(devices));
      onProgress?.(sent);
    }
  };
  await Promise.all(Array.from({ length: lanes }, (_, lane) => run(lane)));
  return sent;
}
