import { moveSome } from '@visitor-counter/database/projection/projector';
import { openClient, planByKeys, withClient } from '@visitor-counter/database/sql/open-client';
import { preparedOn } from '@visitor-counter/database/sql/query-builder';
import { expect, onTestFinished, test } from 'vitest';
import { waitingInserts } from '../../test/crossings.ts';
import { begin, expectRight, type Message, minute, storingCompany } from '../../test/storing-company.ts';

/** Crossings of a journal from a sequence on, one a second after `begin`. */
const message = (device: number, first: number, count = 3): Message => ({
  device,
  journal: 'j',
  crossings: Array.from({ length: count }, (_, n) => ({
    sequence: first + n,
    at: begin + (first + n) * 1_000,
    direction: n % 3 === 2 ? -1 : 1,
  })),
});

/** A company, one of its committers, the first of its devices, and the store of that and another one. */
async function companyWithDevice() {
  const acme = await storingCompany();
  const [device = 0] = acme.devices;
  const [first, second] = acme.stores;
  return { acme, one: acme.committers[0], device, first, second };
}

/** The stores of the crossings of one device, in the order of its sequences. */
async function storesOf({ rows }: Awaited<ReturnType<typeof storingCompany>>) {
  const stores = await rows.query('select store_id from crossing order by sequence');
  return stores.map((row) => row['store_id']);
}

test('stores crossings under the new store of a device after it has moved, and moves those that are stored', async () => {
  const { acme, one, device, first, second } = await companyWithDevice();
  await one.store([message(device, 1)]);
  await one.store([message(device, 4)]);

  await acme.move(0, 1, { since: begin + 5_000 });
  await one.store([message(device, 7)]);

  await expectRight(acme, [begin + minute]);
  expect(await storesOf(acme)).toEqual([...Array(4).fill(first), ...Array(5).fill(second)]);
});

test.each([
  { what: 'new crossings', again: 0 },
  { what: 'crossings of which some are stored already', again: 2 },
])(
  'does not wait for a device that is being moved, and moves $what that were stored meanwhile',
  async ({ again }) => {
    const { acme, one, device, first, second } = await companyWithDevice();
    await one.store([message(device, 1)]);

    await acme.move(0, 1, { since: begin + 5_000 }, async () => {
      await one.store([message(device, 4 - again, 3 + again)]);
    });

    await expectRight(acme, [begin + minute]);
    expect(await storesOf(acme)).toEqual([...Array(4).fill(first), ...Array(2).fill(second)]);
  },
);

test('moves crossings only when transactions have ended that may not have seen the move', async () => {
  const { acme, one, device, first, second } = await companyWithDevice();
  const client = await openClient({ connectionString: acme.url }, planByKeys);
  onTestFinished(() => client.end());
  const db = preparedOn(client);
  const move = () => moveSome(db, () => {});
  await one.store([message(device, 1)]);
  let storing: Promise<unknown> | undefined;
  await withClient(acme.url, async (blocker) => {
    /* A row of the same key: the other writer looks up the store, and then waits. */
    await blocker.query(`begin; insert into crossing (journal_id, device_id, sequence, at, store_id, direction)
      select journal_id, device_id, 4, at, store_id, direction from crossing where sequence = 1`);
    storing = one.store([message(device, 4)]);
    await expect.poll(() => acme.rows.query(waitingInserts)).toHaveLength(1);
    await acme.move(0, 1, { since: begin });
    expect(await move()).toBe(1);
    expect(await storesOf(acme)).toEqual(Array(3).fill(first));
    await blocker.query('rollback');
  });
  await storing;

  await expect.poll(move).toBe(0);
  expect(await storesOf(acme)).toEqual(Array(6).fill(second));
  await expectRight(acme, [begin + minute]);
});
