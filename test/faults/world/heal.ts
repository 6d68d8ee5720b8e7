import type { World } from './world.ts';

/** Ends all lasting faults. */
export function heal({ balancer, units, gateways }: World): void {
  balancer.carry();
  for (const { process } of [...units, ...gateways]) process.tell('clock', 0);
  for (const { process } of units) process.tell('full', false);
}
