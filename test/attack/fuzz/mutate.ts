import type { Random } from './random.ts';

/** A corrupted packet: with bytes changed, lost, doubled or added. */
export function mutate(packet: Buffer, random: Random): Buffer {
  const change = random.pick([flipBit, setByte, cut, double, insert, changeLength]);
  return change(packet, random);
}

type Mutation = (packet: Buffer, random: Random) => Buffer;

const flipBit: Mutation = (packet, random) => {
  const at = random.below(packet.length);
  return replaced(packet, at, (packet[at] ?? 0) ^ (1 << random.below(8)));
};

const setByte: Mutation = (packet, random) =>
  replaced(packet, random.below(packet.length), random.below(256));

const cut: Mutation = (packet, random) => packet.subarray(0, random.below(packet.length));

const double: Mutation = (packet, random) => {
  const from = random.below(packet.length);
  return Buffer.concat([packet, packet.subarray(from)]);
};

const insert: Mutation = (packet, random) => {
  const at = random.below(packet.length);
  return Buffer.concat([packet.subarray(0, at), random.bytes(1 + random.below(8)), packet.subarray(at)]);
};

/** The remaining length begins with the second byte. */
const changeLength: Mutation = (packet, random) => replaced(packet, 1, random.below(256));

function replaced(packet: Buffer, at: number, byte: number): Buffer {
  const changed = Buffer.from(packet);
  if (at < changed.length) changed[at] = byte;
  return changed;
}
