import { expect, test } from 'vitest';
import { databaseWith } from '../../test/run-admin.ts';

const file = `companies:
  - name: Acme
    stores: [{ sid: S-1, name: Main, timeZone: UTC }, { sid: S-2, name: Side, timeZone: UTC }]
    shopGroups: [{ name: Pilot, stores: [S-2] }]
    devices: [{ serial: CU-1, store: S-1 }, { serial: CU-2, store: S-1 }, { serial: CU-3, store: S-2 }]`;

async function threeUnits() {
  const { run, query } = await databaseWith(file);
  const update = async (...args: string[]) => {
    const { out, err } = await run(['device', 'update', ...args, '--yes', '--json']);
    return err === '' ? JSON.parse(out) : err;
  };
  const targets = async () =>
    (await query('select target_version from device order by serial')).map(
      ({ target_version }) => target_version,
    );
  return { run, query, update, targets };
}

test('sets the version of units by serial number, shop group, or of all', async () => {
  const { update, targets, run } = await threeUnits();
  await update('CU-1', '--to', '1.4.0');
  expect(await targets()).toEqual(['1.4.0', null, null]);
  await update('--group', 'Pilot', '--to', '1.5.0');
  expect(await targets()).toEqual(['1.4.0', null, '1.5.0']);
  await update('--all', '--to', '1.4.1');
  expect(await targets()).toEqual(['1.4.1', '1.4.1', '1.4.1']);
  await update('--all', '--company', 'Acme', '--to', 'none');
  expect(await targets()).toEqual([null, null, null]);
  expect(await update('CU-1', '--all', '--to', '1.4.0')).toContain('not both');
  expect((await run(['device', 'update', 'CU-1', '--to', '1.4'])).err).toContain(
    'a version such as 1.4.0, or none',
  );
});

test('orders an update immediately from one connected unit of each store', async () => {
  const { update, query } = await threeUnits();
  await query('update device_state set online = true');
  const ordered = async () =>
    (await update('--all', '--to', '1.4.0', '--now')).map((one: { ordered: boolean }) => one.ordered);
  expect(await ordered()).toEqual([true, false, true]);
  expect(await ordered()).toEqual([false, false, false]);
  expect(await query(`select distinct command from device_command`)).toEqual([
    { command: { command: 'update', version: '1.4.0' } },
  ]);
});

test('lists the target of a unit that has another version, and why it was not installed', async () => {
  const { run, update, query } = await threeUnits();
  await update('--all', '--to', '1.4.0');
  const rolledBack = { version: '1.4.0', result: 'rolled back', reason: 'no beams', at: Date.now() };
  for (const [serial, version, result] of [
    ['CU-1', '1.3.0', rolledBack],
    ['CU-2', '1.4.0', { ...rolledBack, result: 'installed' }],
    ['CU-3', '1.3.0', undefined],
  ] as const)
    await query(
      `update device_state set heartbeat_at = now(), last_activity_at = now(), online = true, heartbeat = $2
       from device where device.id = device_id and serial = $1`,
      [serial, JSON.stringify({ at: Date.now(), version, update: result })],
    );
  const lines = (await run(['device', 'list'])).out.split('\n').slice(1);
  expect(lines.map((line) => line.match(/online {2}(.*?) {2}/)?.[1])).toEqual([
    '1.3.0 (1.4.0, rolled back)',
    '1.4.0',
    '1.3.0 (1.4.0)',
  ]);
  expect((await run(['device', 'list', '--trouble'])).out).toMatch(/CU-1 .* update failed/);
  const [listed] = JSON.parse((await run(['device', 'list', '--json'])).out);
  expect(listed).toMatchObject({
    targetVersion: '1.4.0',
    update: { result: 'rolled back', reason: 'no beams' },
  });
});
