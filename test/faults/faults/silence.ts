import { setTimeout as pause } from 'node:timers/promises';
import { between, type Fault, pick } from './fault.ts';

/** Nothing gets through, and nobody is told; the longer ones outlast the unit's patience. */
export const silence: Fault = {
  kind: 'connection silent',
  kills: false,
  weight: 2,
  inject: async ({ balancer, units }, random) => {
    const links = balancer.links(pick(units, random).truth.serial);
    for (const link of links) link.silence();
    await pause(between(500, 5_000, random));
    for (const link of links) link.heal();
  },
};
