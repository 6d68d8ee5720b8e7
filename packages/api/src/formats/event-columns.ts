import type { Store } from '@visitor-counter/database/stores/stores';

/**
 * Count events of one store in columns, for answers of millions of records: the i-th has the i-th entry of
 * each, for every i below `length`. Valid until the next batch is requested.
 */
export class EventColumns {
  storeName = '';
  timeZone = 'UTC';
  length = 0;
  /** Epoch ms. */
  at = new Float64Array();
  amount = new Int32Array();

  /** Empties it, with room for so many. */
  clear(room: number): void {
    this.length = 0;
    if (this.at.length >= room) return;
    this.at = new Float64Array(room);
    this.amount = new Int32Array(room);
  }

  add(at: number, amount: number): void {
    this.at[this.length] = at;
    this.amount[this.length] = amount;
    this.length += 1;
  }
}

/** One count event of each of some stores in columns: the i-th store has the i-th entry of each. */
export class LatestEvents {
  readonly stores: readonly Store[];
  /** Epoch ms. */
  readonly at: Float64Array;
  readonly amount: Int32Array;

  constructor(stores: readonly Store[]) {
    this.stores = stores;
    this.at = new Float64Array(stores.length);
    this.amount = new Int32Array(stores.length);
  }

  get length(): number {
    return this.stores.length;
  }
}
