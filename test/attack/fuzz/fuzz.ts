import { attackConnection } from './attack-connection.ts';
import { Random } from './random.ts';
import type { KnownDevice } from './well-formed.ts';

export interface FuzzOptions {
  readonly port: number;
  readonly device: KnownDevice;
  readonly packets: number;
  readonly seed: number;
}

/** Concurrent connections, each with its own random numbers, so that their order does not change the packets. */
const lanes = 32;

/** Sends at least so many packets; the gateway may still process the last ones. */
export async function fuzz({ port, device, packets, seed }: FuzzOptions): Promise<void> {
  let sent = 0;
  const run = async (lane: number) => {
    const random = new Random(seed + lane);
    while (sent < packets) sent += await attackConnection(port, random, device);
  };
  await Promise.all(Array.from({ length: lanes }, (_, lane) => run(lane)));
}
