import { isIPv6, SocketAddress } from 'node:net';

/**
 * The key under which addresses are limited together: an IPv4 address, or the /64 network of an IPv6 address,
 * of which one machine usually has all. `unknown` for a closed socket.
 */
export function addressKey(address: string | undefined): string {
  if (address === undefined) return 'unknown';
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  return isIPv6(address) ? networkOf(address) : address;
}

function networkOf(address: string): string {
  const { address: plain } = new SocketAddress({ address: address.replace(/%.*/, ''), family: 'ipv6' });
  const [head = '', tail = ''] = plain.split('::');
  const front = head.split(':').filter(Boolean);
  const back = tail.split(':').filter(Boolean);
  const zeros = plain.includes('::') ? Array<string>(8 - front.length - back.length).fill('0') : [];
  return `${[...front, ...zeros, ...back].slice(0, 4).join(':')}::/64`;
}
