import { setTimeout as pause } from 'node:timers/promises';
import { between, type Fault, pick } from './fault.ts';

/** How long a temporary read error lasts (ms); shorter than the agent's time limit in a campaign. */
const shortest = 50;
const longest = 5_000;

/** The journal of a unit cannot be read for a while. */
export const failReads: Fault = {
  kind: 'journal unreadable for a while',
  kills: false,
  weight: 4,
  inject: async ({ units }, random) => {
    const unit = pick(units, random);
    const duration = between(shortest, longest, random);
    unit.failReads(duration);
    await pause(duration);
  },
};

/** The journal of a unit cannot be read while the agent starts, as after a power cut. */
export const failReadsAtStart: Fault = {
  kind: 'agent killed, journal unreadable at its start',
  kills: true,
  weight: 4,
  inject: async ({ units }, random) => {
    const unit = pick(units, random);
    const duration = between(shortest, longest, random);
    await unit.process.kill(() => unit.failReads(duration));
    await pause(duration);
  },
};
