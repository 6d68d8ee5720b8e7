import type { Store } from '@visitor-counter/database/stores/stores';

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
