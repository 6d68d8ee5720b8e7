import { type Fault, pick } from './fault.ts';

export const moveGateway: Fault = {
  kind: 'device to other gateway, old session half open',
  kills: false,
  weight: 3,
  inject: async ({ balancer, units }, random) => {
    const { serial } = pick(units, random).truth;
    balancer.sendElsewhere(serial);
    for (const link of balancer.links(serial)) link.leaveHalfOpen();
  },
};
