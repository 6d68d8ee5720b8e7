import { setTimeout as pause } from 'node:timers/promises';
import { between, type Fault, pick } from './fault.ts';

/** How long an error lasts from which all data comes back (ms). The agent's patience in a campaign is longer. */
const shortest = 50;
const longest = 5_000;

/** What a unit has journaled cannot be read for a while, and then it can. */
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

/** The same while the agent starts, as after a power cut. */
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
