import { BlockList } from 'node:net';
import type { FastifyRequest } from 'fastify';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Whether a request crossed no network: its caller is on this machine, and it is none that a proxy forwards. */
export function isLocal(request: FastifyRequest): boolean {
  const address = request.ip.replace(/^::ffff:/, '');
  const forwarded = Object.keys(request.headers).some((name) => /^(forwarded|x-forwarded-.*)$/.test(name));
  return !forwarded && loopback.check(address, address.includes(':') ? 'ipv6' : 'ipv4');
}
