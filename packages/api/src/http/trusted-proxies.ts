import { isIP } from 'node:net';
import type { Kind } from '@visitor-counter/service/settings/setting';

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
