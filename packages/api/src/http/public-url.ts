import { BlockList, isIP } from 'node:net';
import type { Kind } from '@visitor-counter/service/settings/setting';
import type { FastifyRequest } from 'fastify';

/** The address of a request, as the caller sent it, or as a trusted proxy forwards it. */
interface Requested {
  readonly protocol: string;
  /** The `Host` header, with its port; empty without one. */
  readonly host: string;
}

/** The address under which the caller of a request reaches this service, without a path: `https://host:port`. */
export function publicUrl({ protocol, host }: Requested): string {
  const scheme = protocol === 'https' ? 'https' : 'http';
  const url = isHost.test(host) ? URL.parse(`${scheme}://${host}`) : null;
  return url?.origin ?? `${scheme}://localhost`;
}

/** A name, an IPv4 address or an IPv6 one in brackets; perhaps a port. */
const isHost = /^([A-Za-z0-9._~-]+|\[[0-9A-Fa-f:.]+\])(:\d{1,5})?$/;

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Whether a request crossed no network: its caller is on this machine, and it is none that a proxy forwards. */
export function isLocal(request: FastifyRequest): boolean {
  const address = request.ip.replace(/^::ffff:/, '');
  const forwarded = Object.keys(request.headers).some((name) => /^(forwarded|x-forwarded-.*)$/.test(name));
  return !forwarded && loopback.check(address, address.includes(':') ? 'ipv6' : 'ipv4');
}

/** Proxies whose `X-Forwarded-For`, `-Proto` and `-Host` are trusted: addresses, networks, `loopback`. */
export const trustedProxies: Kind<readonly string[]> = {
  expected: 'addresses or networks with commas between, such as loopback,10.0.0.0/8',
  parse: (text) => {
    const proxies = text.split(',').map((entry) => entry.trim());
    return proxies.every(isProxy) ? proxies : undefined;
  },
};

function isProxy(entry: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(entry)) return true;
  const [address = '', prefix, ...rest] = entry.split('/');
  const bits = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0;
  const fits =
    prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits && Number(prefix) > 0);
  return bits > 0 && fits && rest.length === 0;
}
