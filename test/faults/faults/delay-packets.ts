import { setTimeout as pause } from 'node:timers/promises';
import { between, type Fault, pick } from './fault.ts';

export const delayPackets: Fault = {
  kind: 'packets delayed',
  kills: false,
  weight: 2,
  inject: async ({ balancer, units }, random) => {
    const links = balancer.links(pick(units, random).truth.serial);
    const delay = between(20, 600, random);
    for (const link of links) link.delay = delay;
    await pause(between(1_000, 3_000, random));
    for (const link of links) link.heal();
  },
};
