import { removeOld } from '@visitor-counter/database/retention/retention';

/** Deletes all crossings that are a day older than companies keep. Returns how many they were. */
export async function removeAllOld(db: Parameters<typeof removeOld>[0]): Promise<number> {
  let total = 0;
  for (let removed = await removeOld(db); removed > 0; removed = await removeOld(db)) total += removed;
  return total;
}
