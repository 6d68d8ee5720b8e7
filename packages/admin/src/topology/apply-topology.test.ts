import { hashSecret } from '@visitor-counter/database/credentials/credentials';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { emptyDatabase } from '../../test/apply-text.ts';
import { someCompany } from '../../test/some-company.ts';

const topology = (more = '') => `
companies:
  - name: Acme
    stores:
      - { sid: S-1, name: Main Door, address: 1 High St, city: Irvine, timeZone: America/Los_Angeles }
      - { sid: S-2, name: Main Door, timeZone: Europe/Berlin, dayStartsAt: "04:00" }
    shopGroups:
      - { name: West, stores: [S-1, S-2] }
    devices:
      - { serial: CU-1, store: S-1 }
      - { serial: CU-2, name: Back, store: S-2, secret: a secret of the file }
    credentials:
      - { kind: counts, label: till, value: a value of the file }
      - { kind: life-signal, label: noc, expires: 2030-01-31 }
${more}`;

const acme = (rest: string) => `companies: [{ name: Acme, ${rest} }]`;

test('creates missing entries and shows each generated secret once', async () => {
  const { apply, rows } = await emptyDatabase();

  const { changes, secrets, unchanged } = await apply(topology());

  expect(changes.map(({ action, kind, key, company }) => `${action} ${kind} ${key} ${company}`)).toEqual([
    'created company Acme Acme',
    'created store S-1 Acme',
    'created store S-2 Acme',
    'created shopGroup West Acme',
    'created device CU-1 Acme',
    'created device CU-2 Acme',
    'created credential counts/till Acme',
    'created credential life-signal/noc Acme',
  ]);
  expect(unchanged).toBe(0);
  expect(secrets).toEqual([
    { kind: 'device', company: 'Acme', serial: 'CU-1', secret: expect.stringMatching(/^[\w-]{32}$/) },
    {
      kind: 'credential',
      company: 'Acme',
      credentialKind: 'life-signal',
      label: 'noc',
      value: expect.any(String),
    },
  ]);
  const [device] = await rows(`select name, secret_hash from device where serial = 'CU-1'`);
  expect(device).toEqual({
    name: 'CU-1',
    secret_hash: hashSecret(secrets[0]?.['secret'] ?? ''),
  });
  const [noc] = await rows(`select hash, expires_at from credential where label = 'noc'`);
  expect(noc.expires_at).toBe(Date.parse('2030-01-31T00:00:00Z'));
  expect(await rows('select since::text, store_id from device_assignment order by store_id')).toEqual([
    { since: '-infinity', store_id: 1 },
    { since: '-infinity', store_id: 2 },
  ]);
});

test('changes nothing when any file is applied again', async () => {
  const { apply } = await emptyDatabase();

  await fc.assert(
    fc.asyncProperty(someCompany, async (entry) => {
      const text = stringify({ companies: [entry] }, { aliasDuplicateObjects: false });
      const first = await apply(text);
      const second = await apply(text);
      const { stores, shopGroups, devices, credentials } = entry;
      const count = 1 + stores.length + shopGroups.length + devices.length + credentials.length;
      expect(second).toEqual({ changes: [], secrets: [], unchanged: count });
      expect(first.unchanged).toBeLessThanOrEqual(count);
    }),
    { numRuns: 40 },
  );
});

test('changes entries that differ, and none that the file leaves out', async () => {
  const { apply, rows } = await emptyDatabase();
  await apply(topology());

  const { changes, secrets, unchanged } = await apply(`
companies:
  - name: ' ACME '
    stores: [{ sid: S-1, city: Berlin, timeZone: Europe/Berlin }, { sid: S-2, name: Main Door }]
    shopGroups: [{ name: west, stores: [S-2] }]
    devices: [{ serial: CU-1, retired: true, secret: an explicit secret }]
    credentials: [{ kind: counts, label: till, value: another value of it }, { kind: life-signal, label: noc, expires: never }]
`);

  expect(changes).toEqual([
    { action: 'changed', kind: 'company', key: 'ACME', company: 'ACME', fields: ['name'] },
    { action: 'changed', kind: 'store', key: 'S-1', company: 'ACME', fields: ['city', 'timeZone'] },
    { action: 'changed', kind: 'shopGroup', key: 'west', company: 'ACME', fields: ['name', 'stores'] },
    { action: 'changed', kind: 'device', key: 'CU-1', company: 'ACME', fields: ['secret', 'retired'] },
    { action: 'changed', kind: 'credential', key: 'counts/till', company: 'ACME', fields: ['value'] },
    { action: 'changed', kind: 'credential', key: 'life-signal/noc', company: 'ACME', fields: ['expires'] },
  ]);
  expect({ secrets, unchanged }).toEqual({ secrets: [], unchanged: 1 });
  expect(await rows('select sid, address, city, time_zone, day_starts_at from store order by sid')).toEqual([
    { sid: 'S-1', address: '1 High St', city: 'Berlin', time_zone: 'Europe/Berlin', day_starts_at: '00:00' },
    { sid: 'S-2', address: '', city: '', time_zone: 'Europe/Berlin', day_starts_at: '04:00' },
  ]);
  expect(await rows('select store_ids from shop_group')).toEqual([{ store_ids: [2] }]);
  const [device] = await rows(`select retired_at, secret_hash, name from device where serial = 'CU-1'`);
  expect(device).toMatchObject({
    retired_at: expect.any(Number),
    secret_hash: hashSecret('an explicit secret'),
  });
  await apply(acme('devices: [{ serial: CU-1, retired: false }]'));
  expect(await rows('select serial from device where retired_at is not null')).toEqual([]);
});

test('reports all problems that depend on the database, and applies nothing', async () => {
  const { apply, rows } = await emptyDatabase();
  await apply(topology());

  const problem = await apply(`
companies:
  - name: Acme
    stores: [{ sid: S-3 }, { sid: S-4, name: Four, timeZone: UTC }]
    shopGroups: [{ name: New, stores: [S-1, S-9] }]
    devices: [{ serial: CU-9 }, { serial: CU-8, store: S-9 }, { serial: cu-1, store: S-1 }, { serial: CU-2, since: "2026-01-01T00:00:00Z" }]
    credentials: [{ kind: staff, label: x, value: a value of the file }]
  - name: Bell
    stores: [{ sid: S-1, name: Bell, timeZone: UTC }]
    devices: [{ serial: CU-1, store: S-1 }]
`).catch((error: Error) => error.message.split('\n'));

  expect(problem).toEqual([
    'file.yaml: companies[0].stores[0].name is missing: expected a name of 1 to 200 printable characters, since this store is new',
    'file.yaml: companies[0].stores[0].timeZone is missing: expected an IANA time zone, such as Europe/Berlin, since this store is new',
    'file.yaml: companies[0].shopGroups[0].stores[1] is "S-9": expected the sid of a store of Acme',
    'file.yaml: companies[0].devices[0].store is missing: expected the sid of its store, since this device is new',
    'file.yaml: companies[0].devices[1].store is "S-9": expected the sid of a store of Acme',
    'file.yaml: companies[0].devices[2].serial is "cu-1": expected the spelling it is registered with, CU-1',
    'file.yaml: companies[0].devices[3].store is missing: expected the sid of the store it belongs to since then',
    'file.yaml: companies[0].credentials[0].value has 19 characters (not shown): expected a value that no other credential has',
    'file.yaml: companies[1].devices[0].serial is "CU-1": expected a serial that no other company has',
    'Nothing was applied.',
  ]);
  expect(await rows('select name from company')).toEqual([{ name: 'Acme' }]);
});

test('applies two files one after the other if they arrive at the same time', async () => {
  const { apply, rows } = await emptyDatabase();

  const results = await Promise.all([apply(topology()), apply(topology())]);

  expect(results.map(({ changes }) => changes.length).sort()).toEqual([0, 8]);
  expect(results.flatMap(({ secrets }) => secrets)).toHaveLength(2);
  expect(await rows('select count(*)::integer as n from device_assignment')).toEqual([{ n: 2 }]);
});

test('leaves a credential revoked unless the file has a new value for it', async () => {
  const { apply, rows } = await emptyDatabase();
  await apply(topology());
  await rows('update credential set revoked_at = now()');

  expect((await apply(topology())).changes).toEqual([]);
  expect(await rows('select label from credential where revoked_at is null')).toEqual([]);
  const { changes } = await apply(
    acme('credentials: [{ kind: counts, label: till, value: quite another value }]'),
  );
  expect(changes).toMatchObject([{ key: 'counts/till', fields: ['value', 'revoked'] }]);
  expect(await rows('select label from credential where revoked_at is null')).toEqual([{ label: 'till' }]);
});

test('sets opening hours, staff and the right to settings, and reports mistakes in them', async () => {
  const { apply, rows } = await emptyDatabase();
  const entry = (fields: string) =>
    acme(`
    stores: [{ sid: S-1, name: Main, timeZone: UTC, ${fields} }],
    credentials: [{ kind: staff, label: office, settings: true }]`);
  const hours = 'openingHours: { week: { monday: ["13:00-18:00", "09:00-12:00"] } }';
  const staff = 'staff: { since: 2026-11-23, week: { monday: [{ at: "08:45", people: 4 }] } }';
  await apply(entry(`${hours}, ${staff}`));
  expect((await apply(entry(`${hours}, ${staff}`))).changes).toEqual([]);
  expect((await apply(entry('capacity: 7'))).changes).toMatchObject([{ fields: ['capacity'] }]);
  expect(await rows('select opening_hours as hours from store where opening_hours is not null')).toEqual([
    { hours: { week: { monday: ['09:00-12:00', '13:00-18:00'] }, exceptions: [] } },
  ]);
  expect(await rows('select staff_plans from store')).toEqual([
    { staff_plans: [{ since: '2026-11-23', week: { monday: [{ at: '08:45', people: 4 }] } }] },
  ]);
  expect(await rows('select may_configure from credential')).toEqual([{ may_configure: true }]);

  await expect(apply(entry('openingHours: { week: { monday: ["9-18"] } }'))).rejects.toThrow(
    'companies[0].stores[0].openingHours.week.monday[0] is "9-18": expected a time span such as "09:00-12:30"',
  );
  const counts = acme('credentials: [{ kind: counts, label: till, settings: true }]');
  await expect(apply(counts)).rejects.toThrow('credentials[0].settings is true');
  await apply(entry('openingHours: null, staff: null'));
  expect(await rows('select opening_hours as hours from store where opening_hours is not null')).toEqual([]);
});
