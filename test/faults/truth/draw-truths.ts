import { seededRandom } from '@visitor-counter/simulation/random';
import type { CampaignCompany } from '../world/company.ts';
import { drawLive, drawPast, type UnitTruth } from './unit-truth.ts';

export interface TruthOptions {
  readonly seed: number;
  readonly companies: readonly CampaignCompany[];
  readonly units: number;
  /** In total. */
  readonly crossings: number;
  /** At each door of the past, approximately. */
  readonly perDay: number;
  /** The time in which people cross (ms). */
  readonly recordWithin: number;
  /** When the campaign begins (epoch ms). */
  readonly now: number;
}

/** Approximate number of people per second at a live door. */
const livePerSecond = 3;

/** How much longer people cross at a live door (ms): there must be some during all faults, also on a slow machine. */
const liveSpare = 240_000;

/** Draws the people of all doors: one door in each live store, the others in the stores of the past. */
export function drawTruths(options: TruthOptions): UnitTruth[] {
  const { seed, units, crossings, perDay, recordWithin: within, now } = options;
  const stores = options.companies.flatMap((company) => company.stores);
  const ofPast = stores.filter(({ isLive }) => !isLive);
  const ofPresent = stores.filter(({ isLive }) => isLive).slice(0, units - 1);
  const doors = Array.from({ length: units }, (_, index) => {
    const store = ofPresent[index] ?? ofPast[(index - ofPresent.length) % ofPast.length];
    if (store === undefined) throw new Error('no stores to draw doors for');
    const { sid, timeZone, isLive } = store;
    const serial = `CU-${String(index).padStart(4, '0')}`;
    return { door: { serial, store: sid, timeZone }, isLive, random: seededRandom(seed * 1_000 + index) };
  });
  const live = doors
    .filter(({ isLive }) => isLive)
    .map(({ door, random }) =>
      drawLive(door, { now, within: within + liveSpare, perSecond: livePerSecond }, random),
    );
  const rest = crossings - live.reduce((sum, truth) => sum + truth.crossings.length, 0);
  const past = doors.filter(({ isLive }) => !isLive);
  return [
    ...live,
    ...past.map(({ door, random }, index) => {
      const share = Math.floor(((index + 1) * rest) / past.length) - Math.floor((index * rest) / past.length);
      return drawPast(door, { crossings: share, perDay }, now, random);
    }),
  ];
}
