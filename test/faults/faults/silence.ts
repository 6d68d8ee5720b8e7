import { setTimeout as pause } from 'node:timers/promises';
import { between, type Fault, pick } from './fault.ts';

/** A connection stops to transmit without an error; long silences exceed the unit's time limit. */
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
