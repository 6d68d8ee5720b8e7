import type { UnitTruth } from './unit-truth.ts';

export interface TrueStore {
  readonly sid: string;
  readonly name: string;
  readonly timeZone: string;
  /** People cross its doors while the campaign runs; elsewhere they crossed in the past. */
  readonly isLive: boolean;
}

/** The expected answer of the public interface for one crossing. */
export interface ExpectedEvent {
  /** Epoch ms. */
  readonly at: number;
  readonly store: string;
  readonly amount: number;
  /** The local date in the store's zone. */
  readonly date: string;
}

/**
 * The events of a store in order, with amounts from a simple independent count: up for an entry, down for an exit but
 * not below zero, from zero at every local midnight. `units` are in the order of their device ids.
 */
export function expectedEvents(store: TrueStore, units: readonly UnitTruth[]): ExpectedEvent[] {
  const dateOf = localDates(store.timeZone);
  const all = units.flatMap(({ crossings, assignments }, device) =>
    crossings.filter(({ at }) => assignments.storeAt(at) === store.sid).map((one) => ({ ...one, device })),
  );
  all.sort((a, b) => a.at - b.at || a.device - b.device);
  let date = '';
  let amount = 0;
  return all.map(({ at, direction }) => {
    const today = dateOf(at);
    if (today !== date) amount = 0;
    date = today;
    amount = Math.max(0, amount + direction);
    return { at, store: store.name, amount, date };
  });
}

/** Reads the offset of the zone once per quarter hour. */
function localDates(timeZone: string): (at: number) => string {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' });
  const known = new Map<number, string>();
  return (at) => {
    const quarter = Math.floor(at / 900_000);
    const date = known.get(quarter) ?? format.format(quarter * 900_000);
    known.set(quarter, date);
    return date;
  };
}
