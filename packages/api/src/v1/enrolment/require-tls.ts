import { BlockList } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { insecureRequest } from '../../problems/problems.ts';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/**
 * Without TLS only who is on this machine is heard; a proxy that is not trusted may speak for anybody. Throws
 * `insecure_request`.
 */
export function requireTls(request: FastifyRequest): void {
  if (request.protocol === 'https') return;
  const address = request.ip.replace(/^::ffff:/, '');
  const forwarded = Object.keys(request.headers).some((name) => /^(forwarded|x-forwarded-.*)$/.test(name));
  if (forwarded || !loopback.check(address, address.includes(':') ? 'ipv6' : 'ipv4')) throw insecureRequest();
}
