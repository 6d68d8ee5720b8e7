import { connect, type Socket } from 'node:net';
import { mutate } from './mutate.ts';
import type { Random } from './random.ts';
import { type KnownDevice, loginOf, wellFormed } from './well-formed.ts';

/** The most packets on one connection; most connections end at the first invalid packet. */
const mostPackets = 40;

/** How long the gateway may leave an idle connection open (ms). */
const lingering = 50;

/**
 * One connection with random and mutated packets, logged in or not, in chunks of any size; returns how many
 * packets were sent.
 */
export async function attackConnection(port: number, random: Random, device: KnownDevice): Promise<number> {
  const packets = Array.from({ length: 1 + random.below(mostPackets) }, () => anyPacket(random, device));
  if (random.chance(0.7)) packets.unshift(loginOf(device));
  const bytes = Buffer.concat(packets);
  const socket = connect(port, '127.0.0.1');
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.on('error', () => {});
  socket.on('connect', () => send(socket, bytes, random));
  socket.resume();
  await closed;
  return packets.length;
}

function anyPacket(random: Random, device: KnownDevice): Buffer {
  if (random.chance(0.1)) return random.bytes(1 + random.below(60));
  const packet = wellFormed(random, device);
  return random.chance(0.4) && packet.length > 0 ? mutate(packet, random) : packet;
}

function send(socket: Socket, bytes: Buffer, random: Random): void {
  for (let start = 0; start < bytes.length && !socket.destroyed; ) {
    const size = random.chance(0.5) ? bytes.length : 1 + random.below(200);
    socket.write(bytes.subarray(start, start + size));
    start += size;
  }
  const end = random.pick([() => socket.end(), () => socket.destroy(), () => socket.resetAndDestroy()]);
  socket.setTimeout(lingering, end);
  socket.once('end', () => socket.destroy());
}
