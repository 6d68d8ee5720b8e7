import { expect, test } from 'vitest';
import { databaseWith } from '../../test/run-admin.ts';

const acme = `
companies:
  - name: Acme
    stores: [{ sid: S-1, name: One, timeZone: UTC }, { sid: S-2, name: Two, timeZone: UTC }]
    shopGroups: [{ name: West, stores: [S-2] }]
    devices: [{ serial: CU-1, store: S-1 }, { serial: CU-2, store: S-1 }]
    credentials: [{ kind: staff, label: office }, { kind: counts, label: till }]
    alertRules: [{ kind: beam-blocked }]
    alertTargets: [{ label: boss, mail: b@acme.example }]
    reports: [{ name: Daily, period: daily, recipients: [a@acme.example], group: West }]`;

const ofAcme = ['--company', 'acme'];

test('removes what was created by mistake, in the order in which nothing belongs to it any more', async () => {
  const { run, query } = await databaseWith(acme);
  await run(['alert', 'test', 'boss', ...ofAcme]);
  await query(`insert into alert (company_id, kind, subject, device_id, store_id, about, began_at)
    select 1, 'device-inactive', '', 1, 1, '{}', now()`);
  await query(`insert into enrolment_code (company_id, store_id, hash, uses, expires_at)
    values (1, 1, sha256('code'), 1, now())`);
  const commands = [
    ['report', 'remove', 'Daily', ...ofAcme],
    ['group', 'remove', 'WEST', ...ofAcme],
    ['alert', 'rule', 'remove', 'beam-blocked', ...ofAcme],
    ['alert', 'target', 'remove', 'boss', ...ofAcme],
    ['token', 'remove', ...ofAcme, '--kind', 'staff', '--label', 'office'],
    ['token', 'remove', ...ofAcme, '--kind', 'counts', '--label', 'till'],
    ['device', 'remove', 'cu-1'],
    ['device', 'remove', 'CU-2'],
    ['store', 'remove', 'S-1', ...ofAcme],
    ['store', 'remove', 'S-2', ...ofAcme],
  ];
  for (const command of commands) {
    expect(await run(command)).toMatchObject({ code: 0, err: '' });
    expect((await run(command)).code).toBe(1);
  }
  await query('delete from alert');
  expect(await run(['company', 'remove', 'acme'])).toMatchObject({ code: 0, err: '' });
  expect((await run(['company', 'list', '--json'])).out).toBe('[]');
  const removed = await query(
    `select company, subject from audit_entry where action = 'removed' order by id`,
  );
  expect(new Set(removed.map(({ company }) => company))).toEqual(new Set(['Acme']));
  expect(removed.map(({ subject }) => subject)).toEqual([
    'Daily',
    'West',
    'beam-blocked',
    'boss',
    'staff/office',
    'counts/till',
    'CU-1',
    'CU-2',
    'S-1',
    'S-2',
    'Acme',
  ]);
});

test('says which data exists of what cannot be removed', async () => {
  const { run, query } = await databaseWith(acme);
  await query(`insert into journal (device_id, name) values (1, 'j')`);
  await query(
    `insert into sale (store_id, id, at, transactions, amount, credential_id) values (2, 'a', now(), 1, 1, 1)`,
  );
  const refused = async (...args: string[]) => (await run(args)).err;
  expect(await refused('device', 'remove', 'CU-1')).toBe(
    'the device CU-1 of Acme cannot be removed: it has crossings',
  );
  expect(await refused('store', 'remove', 'S-1', ...ofAcme)).toContain('it has devices');
  expect(await refused('store', 'remove', 'S-2', ...ofAcme)).toContain('it belongs to the shop group West');
  await query(`update shop_group set store_ids = '{}'`);
  expect(await refused('store', 'remove', 'S-2', ...ofAcme)).toContain('it has sales');
  expect(await refused('group', 'remove', 'West', ...ofAcme)).toContain('it has reports');
  expect(await refused('token', 'remove', ...ofAcme, '--kind', 'staff', '--label', 'office')).toContain(
    'it has sales',
  );
  expect(await refused('company', 'remove', 'Acme')).toContain('it has ');
  expect(JSON.parse((await run(['company', 'list', '--json'])).out)).toEqual([
    { name: 'Acme', retentionMonths: null, stores: 2, devices: 2 },
  ]);
});
