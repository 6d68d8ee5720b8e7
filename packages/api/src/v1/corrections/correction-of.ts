import { findCorrection } from '@visitor-counter/database/occupancy/list-corrections';
import type { Reader } from '@visitor-counter/database/sql/snapshot';
import type { Caller } from '../../access/callers.ts';
import { unknownResource } from '../../problems/problems.ts';
import { storesInSight } from '../stores/stores-in-sight.ts';
import { shownCorrection } from './shown-correction.ts';

/** A correction that the caller sees, and as it is answered. Throws `unknown_correction`. */
export async function correctionOf(db: Reader, caller: Caller, id: string) {
  const stores = await storesInSight(db, caller, undefined);
  const storeIds = stores.map((store) => store.id);
  const found = /^\d{1,15}$/.test(id) ? await findCorrection(db, storeIds, id) : undefined;
  const store = stores.find((one) => one.id === found?.store_id);
  if (found === undefined || store === undefined) throw unknownResource('correction', 'id');
  return { correction: found, shown: shownCorrection(found, store) };
}
