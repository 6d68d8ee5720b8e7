import { type Fault, pick } from './fault.ts';

/** The connections of one unit, or sometimes of all, end by FIN or RST. */
export const endConnections: Fault = {
  kind: 'connection cut or reset',
  kills: false,
  weight: 3,
  inject: async ({ balancer, units }, random) => {
    const everybody = random() < 0.2;
    const links = balancer.links(everybody ? undefined : pick(units, random).truth.serial);
    const reset = random() < 0.5;
    for (const link of links) reset ? link.reset() : link.cut();
  },
};
