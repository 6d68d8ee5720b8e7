import { isIP } from 'node:net';
import { ConfigurationError } from '@visitor-counter/service/configuration-error';
import { type Environment, text } from '@visitor-counter/service/environment';

/** Whose `X-Forwarded-For`, `-Proto` and `-Host` are believed: addresses, networks, `loopback`; nobody's by default. */
export function readTrustedProxies(env: Environment): readonly string[] {
  const value = text(env, 'TRUSTED_PROXIES') ?? '';
  const proxies = value.split(',').map((entry) => entry.trim());
  if (value.trim() === '') return [];
  if (proxies.every(isProxy)) return proxies;
  throw new ConfigurationError(
    'TRUSTED_PROXIES',
    value,
    'addresses or networks with commas between, such as loopback,10.0.0.0/8',
  );
}

function isProxy(entry: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(entry)) return true;
  const [address = '', prefix, ...rest] = entry.split('/');
  const bits = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0;
  const fits =
    prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits && Number(prefix) > 0);
  return bits > 0 && fits && rest.length === 0;
}
