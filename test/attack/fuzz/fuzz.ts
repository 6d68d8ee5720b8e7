import { attackConnection } from './attack-connection.ts';
import { Random } from './random.ts';
import type { KnownDevice } from './well-formed.ts';

export interface FuzzOptions {
  readonly port: number;
  readonly devices: readonly [KnownDevice, ...KnownDevice[]];
  readonly packets: number;
  readonly seed: number;
  /** Called regularly with the number of sent packets. */
  readonly onProgress?: (sent: number) => void;
}

/** Concurrent connections, each with its own random numbers, so that their order does not change the packets. */
const lanes = 32;

/** Sends at least so many packets; the gateway may still process the last ones. */
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
