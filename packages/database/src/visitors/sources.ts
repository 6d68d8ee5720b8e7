import type { Reader } from '../sql/snapshot.ts';
import type { StoreFacts } from '../stores/stores.ts';

/** People of the staff who came in at an instant (epoch ms). */
export interface StaffPassage {
  readonly at: number;
  readonly people: number;
}

/** The declared passages of staff in stores, from `from` to before `to` (epoch ms), by the id of the store. */
export async function readStaff(
  _db: Reader,
  _stores: readonly StoreFacts[],
  _from: number,
  _to: number,
): Promise<ReadonlyMap<number, readonly StaffPassage[]>> {
  return new Map();
}

/** When stores are open. */
export interface Opening {
  /** Whether a store is open at any time from `from` to before `to` (epoch ms). */
  isOpen(store: StoreFacts, from: number, to: number): boolean;
  /** Whether it is open at an instant (epoch ms), and if not, the local time at which it opens next that day. */
  stateAt(store: StoreFacts, now: number): { readonly open: boolean | null; readonly opensAt: string | null };
}

export async function readOpening(_db: Reader, _stores: readonly StoreFacts[]): Promise<Opening> {
  return { isOpen: () => true, stateAt: () => ({ open: null, opensAt: null }) };
}

/** What was sold in a bucket. */
export interface Sold {
  readonly transactions: number;
  /** In hundredths. */
  readonly amount: bigint;
}

/** What each of the stores, which have one calendar, has sold in each bucket; undefined where no sales are known. */
export async function readSales(
  _db: Reader,
  _storeIds: readonly number[],
  _starts: readonly number[],
  _to: number,
): Promise<(storeId: number, bucket: number) => Sold | undefined> {
  return () => undefined;
}
