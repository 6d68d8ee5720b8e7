import type { World } from '../world/world.ts';
import { type Fault, pick } from './fault.ts';
import { afterOtherMoves } from './move-store.ts';

/** The one restore of a campaign, which is planned apart from other faults. */
export interface Restore {
  readonly backUp: Fault;
  readonly restore: Fault;
}

/**
 * A backup at one time, and at a later one its data in the place of all there is. Operators' work between the two is
 * lost, as it is outside: devices belong again where they belonged then. Nobody does anything else about it.
 */
export function restoreOnce(): Restore {
  let forget = () => {};
  const taken = Promise.withResolvers<void>();
  const once = { kills: false, weight: 0 };
  return {
    backUp: {
      ...{ kind: 'backup taken', ...once },
      inject: async ({ units, database }: World) => {
        await afterOtherMoves(async () => {
          await database.backUp();
          const restored = units.map(({ truth }) => truth.assignments.remember());
          forget = () => {
            for (const restoreAssignments of restored) restoreAssignments();
          };
        });
        taken.resolve();
      },
    },
    restore: {
      ...{ kind: 'database restored from the backup', ...once },
      inject: async ({ database }: World, random) => {
        await taken.promise;
        await afterOtherMoves(async () => {
          await database.restore(pick(['recovery', 'snapshot'] as const, random));
          forget();
        });
      },
    },
  };
}
