import { setTimeout as pause } from 'node:timers/promises';
import { unreadableFor } from './disk.ts';
import { between, type Fault, pick } from './fault.ts';

/** Faults that kill a process with SIGKILL. */
export const kills: readonly Fault[] = [
  kill('agent killed', 12, ({ units }, random) => pick(units, random).process.kill()),
  kill('gateway killed', 5, ({ gateways }, random) => pick(gateways, random).process.kill()),
  kill('PostgreSQL killed', 2, ({ database }) => database.kill()),
  kill('PostgreSQL backend killed', 1, ({ database }, random) => database.killBackend(random)),
  kill('api killed', 1, ({ api }) => api.process.kill()),
  /* As after a power cut. */
  kill('agent killed, journal unreadable at its start', 4, async ({ units }, random) => {
    const unit = pick(units, random);
    const duration = between(unreadableFor.shortest, unreadableFor.longest, random);
    await unit.process.kill(() => unit.failReads(duration));
    await pause(duration);
  }),
];

function kill(kind: string, weight: number, inject: Fault['inject']): Fault {
  return { kind, kills: true, weight, inject };
}
