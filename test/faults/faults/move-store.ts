import { setTimeout as pause } from 'node:timers/promises';
import { applyMove, stores } from '../world/company.ts';
import { type Fault, pick } from './fault.ts';

/** One after the other: a device that is moved twice belongs where the last move says. */
let turn: Promise<void> = Promise.resolve();

/** An operator moves a device to another store, from an instant somewhere in its past or its future. */
export const moveStore: Fault = {
  kind: 'device moved to other store',
  kills: false,
  weight: 1,
  inject: async ({ units, database }, random) => {
    const { serial, crossings, assignments } = pick(units, random).truth;
    const since = pick(crossings, random).at;
    const store = pick(stores, random).sid;
    turn = turn.then(async () => {
      await untilApplied(() => applyMove(database.url, serial, store, since));
      assignments.move(since, store);
    });
    await turn;
  },
};

/** The database may be away, and what was committed then is nothing new the next time. */
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
