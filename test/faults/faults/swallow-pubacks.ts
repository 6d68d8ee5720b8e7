import { setTimeout as pause } from 'node:timers/promises';
import { between, type Fault, pick } from './fault.ts';

/** Stored messages are not acknowledged; the connection then continues, or ends. */
export const swallowPubacks: Fault = {
  kind: 'PUBACKs swallowed',
  kills: false,
  weight: 3,
  inject: async ({ balancer, units }, random) => {
    const links = balancer.links(pick(units, random).truth.serial);
    for (const link of links) link.swallowsPubacks = true;
    await pause(between(200, 3_000, random));
    const ends = random() < 0.5;
    for (const link of links) ends ? link.reset() : link.heal();
  },
};
