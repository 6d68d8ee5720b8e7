import { setTimeout as pause } from 'node:timers/promises';
import { applyMove, companyOf } from '../world/company.ts';
import { type Fault, pick } from './fault.ts';

/** One after the other: a device that is moved twice belongs where the last move says. */
let turn: Promise<void> = Promise.resolve();

/** Does an operator's work when that of others is done. */
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
      await untilApplied(() => applyMove(database.url, company.name, { serial, store, since }));
      assignments.move(since, store);
    });
  },
};

/** The database may be unavailable, and what was committed then is nothing new the next time. */
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
