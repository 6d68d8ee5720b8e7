import { setTimeout as pause } from 'node:timers/promises';
import type { Link } from '../proxy/link.ts';
import { between, type Fault, pickConnected } from './fault.ts';

/** Faults of the connections between units and gateways. */
export const connectionFaults: readonly Fault[] = [
  {
    kind: 'connection cut or reset',
    kills: false,
    weight: 3,
    inject: async (world, random) => {
      const { serial } = (await pickConnected(world, random)).truth;
      const isOfAll = random() < 0.2;
      const links = world.balancer.links(isOfAll ? undefined : serial);
      const isReset = random() < 0.5;
      for (const link of links) isReset ? link.reset() : link.cut();
    },
  },
  onOneUnit('packets delayed', 2, async (links, random) => {
    const delay = between(20, 600, random);
    for (const link of links) link.delay = delay;
    await pause(between(1_000, 3_000, random));
    for (const link of links) link.heal();
  }),
  /* Stored messages are not acknowledged; the connection then continues, or ends. */
  onOneUnit('PUBACKs swallowed', 3, async (links, random) => {
    for (const link of links) link.swallowsPubacks = true;
    await pause(between(200, 3_000, random));
    const isEnded = random() < 0.5;
    for (const link of links) isEnded ? link.reset() : link.heal();
  }),
  /* Nothing is transmitted, without an error; long silences exceed the unit's time limit. */
  onOneUnit('connection silent', 2, async (links, random) => {
    for (const link of links) link.silence();
    await pause(between(500, 5_000, random));
    for (const link of links) link.heal();
  }),
  {
    kind: 'device to other gateway, old session half open',
    kills: false,
    weight: 3,
    inject: async (world, random) => {
      const { serial } = (await pickConnected(world, random)).truth;
      world.balancer.sendElsewhere(serial);
      for (const link of world.balancer.links(serial)) link.leaveHalfOpen();
    },
  },
];

function onOneUnit(
  kind: string,
  weight: number,
  disturb: (links: readonly Link[], random: () => number) => Promise<void>,
): Fault {
  const inject: Fault['inject'] = async (world, random) => {
    const { serial } = (await pickConnected(world, random)).truth;
    await disturb(world.balancer.links(serial), random);
  };
  return { kind, kills: false, weight, inject };
}
