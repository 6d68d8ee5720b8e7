import type { Alert, Obstacle } from '../data/shapes.ts';
import { counted, isolated, number } from './locale.ts';

const people = (n: number) => counted(n, { one: 'person', other: 'people' });
const doorOf = (name: string | undefined) => (name === undefined ? 'a door' : isolated(name));

/** Whether numbers can be trusted, alerts, and how full a store is. `name` is that of the door, if it has one. */
export const conditions = {
  inside: (capacity: number | null) =>
    capacity === null ? 'inside now' : `inside now, capacity ${number(capacity)}`,
  opening: {
    closed: 'Closed',
    at: (time: string) => `opens at ${time}`,
    on: (day: string, time: string) => `opens ${day}, ${time}`,
  },
  full: 'Full',
  nearlyFull: 'Nearly full',
  overfull: (n: number) => `${number(n)} too many`,
  capacity: (percent: string) => `${percent} of capacity`,
  healthy: 'All counters work',
  doubtful: 'The number may be wrong',
  completeUntil: (time: string) => `Complete until ${time}`,
  completeUnknown: 'It is not known until when the numbers are complete',
  obstacle: ({ kind, count = 0, problem }: Obstacle, name: string | undefined): string => {
    const door = doorOf(name);
    if (kind === 'offline') return `The counter at ${door} is offline`;
    if (kind === 'never-connected') return `The counter at ${door} has never connected`;
    if (kind === 'pending')
      return `The counter at ${door} has counted ${people(count)} more; the numbers follow`;
    if (kind === 'pending-unknown')
      return `It is not known how much the counter at ${door} still has to deliver`;
    if (kind === 'missing')
      return `${people(count)} at ${door} are missing in the numbers; they are being fetched`;
    if (kind === 'lost') return `${people(count)} at ${door} could not be counted`;
    if (kind === 'conflict') return `Some numbers from ${door} must be checked first: call your operator`;
    if (kind === 'beam-blocked')
      return `The light of the counter at ${door} is blocked: nobody is counted there`;
    if (kind === 'direction-doubtful')
      return `The counter at ${door} seems to take people coming in for people leaving`;
    if (kind === 'storage')
      return count
        ? `The counter at ${door} cannot store ${people(count)}: do not switch it off, and call your installer`
        : problem === 'failed'
          ? `The memory card of the counter at ${door} is failing: call your installer`
          : `The memory card of the counter at ${door} is full: call your installer`;
    if (kind === 'clock-unsynced') return `The clock of the counter at ${door} is not set`;
    if (kind === 'no-devices') return 'No counter is installed here';
    return `The counter at ${door} has a problem`;
  },
  alerts: {
    heading: 'Alerts of the last 24 hours',
    none: 'No alerts.',
    open: 'Now:',
    over: 'Over:',
    fromTo: (from: string, to: string) => `${from} to ${to}`,
    what: ({ kind, capacity }: Alert, name: string | undefined): string => {
      const door = doorOf(name);
      if (kind === 'device-inactive') return `The counter at ${door} is silent`;
      if (kind === 'beam-blocked') return `The light of the counter at ${door} is blocked`;
      if (kind === 'capacity-reached')
        return `The store is full, with a capacity of ${people(capacity ?? 0)}`;
      if (kind === 'data-overdue') return 'Numbers are overdue';
      if (kind === 'limits-exceeded') return 'A counter counts more than any door can have';
      if (kind === 'flapping') return `The same problem comes again and again at ${door}`;
      if (kind === 'crossings-missing') return `Numbers from ${door} are missing`;
      if (kind === 'crossings-lost') return `Numbers from ${door} are lost`;
      if (kind === 'disk-low') return `The memory of the counter at ${door} is nearly full`;
      if (kind === 'version-old') return `The counter at ${door} needs an update`;
      if (kind === 'cloned-unit') return `Two counters report as ${door}`;
      if (kind === 'direction-doubtful') return `The counter at ${door} may count the wrong way round`;
      if (kind === 'storage-failing') return `The counter at ${door} cannot store its numbers`;
      if (kind === 'service-unavailable') return 'No numbers of any store can be received';
      if (kind === 'visitors-while-closed') return 'People came in while the store was closed';
      if (kind === 'silent-while-open') return `Nobody passes ${door} although the store is open`;
      if (kind === 'door-drift') return `In and out no longer match at ${door}`;
      return 'Something needs attention';
    },
  },
};
