import type { Reader } from '@visitor-counter/database/sql/snapshot';
import { type StoreFacts, storeFacts } from '@visitor-counter/database/stores/stores';
import { cleanName } from '@visitor-counter/domain/name-key';
import type { Caller } from '../../access/callers.ts';
import { unknownResource } from '../../problems/problems.ts';

/** The stores that a caller sees, by sid, or the requested one. Throws `unknown_store`. */
export async function requestedStores(
  db: Reader,
  caller: Caller,
  sid: string | undefined,
): Promise<readonly StoreFacts[]> {
  const stores = await storeFacts(db, caller);
  return sid === undefined ? stores : [storeOf(stores, sid)];
}

/**
 * The store whose sid is written so, or else in another Unicode normal form, as some programs and file systems write
 * letters with marks. Throws `unknown_store`.
 */
export function storeOf(stores: readonly StoreFacts[], sid: string): StoreFacts {
  const key = cleanName(sid);
  const store = stores.find((one) => one.sid === sid) ?? stores.find((one) => cleanName(one.sid) === key);
  if (store === undefined) throw unknownResource('store', 'store');
  return store;
}
