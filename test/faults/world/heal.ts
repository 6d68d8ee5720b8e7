import type { World } from './world.ts';

/** Ends all lasting faults. */
export function heal({ balancer, units, gateways }: World): void {
  balancer.carry();
  for (const { process } of [...units, ...gateways]) process.set('clock', 0);
  for (const { process } of units) process.set('full', false);
}
