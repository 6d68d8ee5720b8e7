import { connect } from '@visitor-counter/database/sql/connect';
import { storeFacts } from '@visitor-counter/database/stores/stores';
import { projected } from '@visitor-counter/test/projected';
import { expect, onTestFinished, test } from 'vitest';
import { oneStore } from '../../../test/one-store.ts';
import { StoreBoard } from './store-board.ts';

test('reads no changes of a store that belongs to another company in a restored database', async () => {
  const { databaseUrl, seed, companyId, storeId, deviceId, journalId } = await oneStore();
  const database = connect(databaseUrl, { applicationName: 'test' });
  onTestFinished(() => database.close());
  const now = Date.now();
  /* At one moment, only the first reading is one of everything. */
  const board = new StoreBoard(database, () => now);
  board.add(companyId, await storeFacts(database.kysely, { companyId, storeIds: null }));
  await board.read();
  expect(board.itemOf(storeId, 'occupancy', 0)).toMatchObject({ occupancy: 0 });

  await seed.query('update store set company_id = $1', [await seed.company('Other')]);
  await seed.crossings([{ storeId, deviceId, journalId, sequence: 1, at: now, direction: 1 }]);
  await projected(databaseUrl);

  await board.read();
  expect(board.itemOf(storeId, 'occupancy', 1)).toBeUndefined();
  expect(board.isGone(storeId)).toBe(true);
});
