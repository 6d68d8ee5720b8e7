import { runRound } from '@visitor-counter/database/projection/run-round';
import { voidCrossings } from '@visitor-counter/database/voids/void-crossings';
import { kim } from '@visitor-counter/test/author';
import { expect, test } from 'vitest';
import { begin, expectRight, minute, storingCompany } from '../../test/storing-company.ts';

/** A company, and a function that stores one entry of its first door. */
async function companyWithOneDoor() {
  const acme = await storingCompany();
  const [deviceId = 0] = acme.devices;
  const enter = (sequence: number, after: number) => {
    const crossings = [{ sequence, at: begin + after, direction: 1 as const }];
    return acme.committers[0].store([{ device: deviceId, journal: 'j', crossings }]);
  };
  return { ...acme, deviceId, enter };
}

test('folds new crossings before whole quarter hours that were marked earlier', async () => {
  const acme = await companyWithOneDoor();
  const { rows, database, stores, enter } = acme;
  await rows.query('insert into mark (store_id, quarter) select $1, n from generate_series(1, 1000) n', [
    stores[1],
  ]);
  await enter(1, 0);

  const round = await runRound(database.kysely);

  expect(await rows.query('select entries from day')).toEqual([{ entries: 1 }]);
  expect(round.more).toBe(true);
  await expectRight(acme, [begin + minute]);
});

test('folds a quarter hour again whose latest crossings were removed, also if their mark is read first', async () => {
  const acme = await companyWithOneDoor();
  const { rows, database, stores, deviceId, enter } = acme;
  await enter(1, 0);
  await enter(2, 10_000);
  await runRound(database.kysely);
  await enter(3, 20_000);
  await rows.query('insert into mark (store_id, quarter) values ($1, 1)', [stores[1]]);
  const range = { from: begin + 5_000, until: begin + minute };
  await voidCrossings(database.kysely, { deviceId, ...range, reason: 'test', author: kim });

  await runRound(database.kysely, 1);

  expect(await rows.query('select sum from quarter_state')).toEqual([{ sum: 2 }]);
  await expectRight(acme, [begin + minute]);
});
