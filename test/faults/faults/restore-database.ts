import { untilTrue } from '../until.ts';
import { whileAllStopped } from '../world/services.ts';
import type { World } from '../world/world.ts';
import type { Fault } from './fault.ts';
import { afterOtherMoves } from './move-store.ts';

/** The one restore of a campaign, planned separately from other faults. */
export interface Restore {
  readonly backUp: Fault;
  readonly restore: Fault;
}

/**
 * A backup, and later its restore in place of all data, while the services are stopped. The operator's changes in between
 * are lost: devices belong to the stores of the time of the backup.
 */
export function restoreOnce(): Restore {
  let forget = () => {};
  let acknowledged = 0;
  const taken = Promise.withResolvers<void>();
  const once = { kills: false, weight: 0 };
  return {
    backUp: {
      kind: 'backup taken',
      ...once,
      inject: async ({ units, database }: World) => {
        await afterOtherMoves(async () => {
          await database.backUp();
          acknowledged = acknowledgedBy(units);
          const restored = units.map(({ truth }) => truth.assignments.remember());
          forget = () => {
            for (const restoreAssignments of restored) restoreAssignments();
          };
        });
        taken.resolve();
      },
    },
    restore: {
      kind: 'database restored from the backup',
      ...once,
      inject: async ({ units, database, gateways, api }: World) => {
        await taken.promise;
        await untilTrue(() => acknowledgedBy(units) > acknowledged, 'crossings are stored after the backup');
        await afterOtherMoves(async () => {
          await whileAllStopped([...gateways, api], () => database.restore());
          forget();
        });
      },
    },
  };
}

function acknowledgedBy(units: World['units']): number {
  return units.reduce((sum, { progress }) => sum + progress.acknowledged, 0);
}
