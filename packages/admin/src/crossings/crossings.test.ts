import { expectDerived } from '@visitor-counter/test/expect-derived';
import { projected } from '@visitor-counter/test/projected';
import { seed } from '@visitor-counter/test/seed';
import { testDatabase } from '@visitor-counter/test/test-database';
import { expect, test } from 'vitest';
import { adminOn } from '../../test/run-admin.ts';

const begin = Date.UTC(2026, 10, 20, 22);
const minute = 60_000;
const iso = (instant: number) => new Date(instant).toISOString();

/** Two stores and two devices with a crossing every ten minutes, in and in and out; the first one moved after 2 hours. */
async function twoStores() {
  const url = await testDatabase();
  const rows = seed(url);
  const companyId = await rows.company('Acme');
  const stores = [
    await rows.store({ companyId, sid: 'S-1' }),
    await rows.store({ companyId, sid: 'S-2', timeZone: 'Asia/Tokyo' }),
  ] as const;
  const devices = [
    await rows.device({ companyId, storeId: stores[0], serial: 'CU-1' }),
    await rows.device({ companyId, storeId: stores[0], serial: 'CU-2' }),
  ];
  await rows.move(devices[0] ?? 0, stores[1], begin + 120 * minute);
  for (const [index, deviceId] of devices.entries()) {
    const journalId = await rows.journal(deviceId, 'j');
    await rows.crossings(
      Array.from({ length: 24 }, (_, n) => ({
        journalId,
        deviceId,
        sequence: n + 1,
        at: begin + n * 10 * minute + index,
        storeId: index === 0 && n >= 12 ? stores[1] : stores[0],
        direction: n % 3 === 2 ? (-1 as const) : (1 as const),
      })),
    );
  }
  const quarters = async () => {
    await projected(url);
    return rows.query(
      `select store_id, quarter, sum, floor, latest_at from quarter_state
       order by store_id, quarter`,
    );
  };
  return { url, rows, run: adminOn(url), quarters };
}

const range = ['--device', 'cu-1', '--from', iso(begin + 60 * minute), '--until', iso(begin + 180 * minute)];

test('removes the crossings of one device and range from every number, and restores them', async () => {
  const { url, run, rows } = await twoStores();
  const before = await expectDerived(url);

  const voided = await run(['crossings', 'void', ...range, '--reason', 'test people', '--yes', '--json']);
  const { id, ...rest } = JSON.parse(voided.out);
  expect(rest).toEqual({
    crossings: 12,
    counts: [
      { store: 'S-1', day: '2026-11-20', in: 4, out: 2 },
      { store: 'S-2', day: '2026-11-21', in: 4, out: 2 },
    ],
  });
  expect(await expectDerived(url)).toBeLessThan(before);
  expect((await run(['crossings', 'void', ...range, '--reason', 'again', '--yes'])).err).toContain(
    'no crossings',
  );

  const listed = JSON.parse((await run(['crossings', 'voids', '--device', 'CU-1', '--json'])).out).voids;
  expect(listed).toMatchObject([
    { id, serial: 'CU-1', by: 'anna', reason: 'test people', crossings: 12, restored: null },
  ]);
  /* Restored crossings belong to the store to which their device is assigned now. */
  await rows.query(`delete from device_assignment where since > '-infinity'`);
  expect((await run(['crossings', 'restore', String(id)])).out).toBe('12 crossings restored');
  await expectDerived(url);
  expect(await rows.query('select count(*)::int as n from crossing where store_id = 1')).toEqual([{ n: 42 }]);
  expect((await run(['crossings', 'restore', String(id)])).err).toContain('restored before');
  expect((await run(['crossings', 'restore', '99'])).err).toContain('no such void');
  expect((await run(['crossings', 'voids'])).out).toContain('by anna');
});

test('restores exactly the crossings it removed, even if two voids overlap', async () => {
  const { run, quarters } = await twoStores();
  const before = await quarters();
  const voidIt = async (from: number, until: number) => {
    const times = ['--from', iso(begin + from * minute), '--until', iso(begin + until * minute)];
    const args = ['--device', 'CU-1', ...times, '--reason', 'x', '--yes', '--json'];
    const { out } = await run(['crossings', 'void', ...args]);
    return JSON.parse(out);
  };
  const [first, second] = [await voidIt(0, 100), await voidIt(50, 200)];
  expect([first.crossings, second.crossings]).toEqual([10, 10]);
  await run(['crossings', 'restore', String(second.id)]);
  await run(['crossings', 'restore', String(first.id)]);
  expect(await quarters()).toEqual(before);
});

test('shows the crossings to void and continues only after the answer yes', async () => {
  const { run, rows, quarters } = await twoStores();
  const before = await quarters();
  for (const answer of ['', 'no\n', 'y\n']) {
    const { code, out, err } = await run(['crossings', 'void', ...range, '--reason', 'x'], answer);
    expect([code, err]).toEqual([1, 'not confirmed: nothing was changed']);
    expect(out).toMatch(/S-1 +2026-11-20 +4 +2\nS-2 +2026-11-21 +4 +2\n/);
  }
  expect(await quarters()).toEqual(before);
  expect(await rows.query('select from crossing_void')).toEqual([]);
  expect((await run(['crossings', 'void', ...range, '--reason', 'x'], 'yes\n')).out).toContain(
    '12 crossings removed',
  );
});

test('voids nothing while the crossings of a moved device are not in their new store', async () => {
  const { run, rows, url } = await twoStores();
  const found = await rows.query('select store_id, count(*) as n from crossing group by 1 order by 1');
  await run(
    ['apply', '-'],
    'companies: [{ name: Acme, devices: [{ serial: CU-2, store: S-2, since: "2026-11-01T00:00:00Z" }] }]',
  );
  const voided = () => run(['crossings', 'void', ...range.with(1, 'CU-2'), '--reason', 'test', '--yes']);
  expect(await voided()).toMatchObject({
    code: 1,
    err: expect.stringContaining('are being moved to another store; run the command again'),
  });
  expect(await rows.query('select store_id, count(*) as n from crossing group by 1 order by 1')).toEqual(
    found,
  );

  await projected(url);
  expect(await voided()).toMatchObject({ code: 0 });
});
