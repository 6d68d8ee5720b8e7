import { setTimeout as pause } from 'node:timers/promises';
import { applyMove, companyOf } from '../world/company.ts';
import { type Fault, pick } from './fault.ts';

/** Moves run one after the other, so that the last move of a device decides its store. */
let turn: Promise<void> = Promise.resolve();

/** Runs an operator's command after those before it. */
export function afterOtherMoves(work: () => Promise<void>): Promise<void> {
  const done = turn.then(work);
  turn = done.catch(() => {});
  return done;
}

/** An operator moves a device to another store of its company, from an instant in its past or its future. */
export const moveStore: Fault = {
  kind: 'device moved to other store',
  kills: false,
  weight: 1,
  inject: async ({ companies, units, database, moved }, random) => {
    const { serial, crossings, assignments } = pick(units, random).truth;
    const company = companyOf(companies, assignments.storeAt(Number.NEGATIVE_INFINITY));
    const since = pick(crossings, random).at;
    const store = pick(company.stores, random).sid;
    moved.add(serial);
    await afterOtherMoves(async () => {
      const move = { serial, store, since };
      await untilApplied(() => applyMove(database.url, company.name, move));
      assignments.move(since, store);
    });
  },
};

/** The database may be unavailable; a retry after a commit has no effect. */
async function untilApplied(apply: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await apply();
    } catch (error) {
      if (attempt === 20) throw error;
      await pause(500);
    }
  }
}
