import { hashSecret } from '@visitor-counter/database/credentials/credentials';
import { connect } from '@visitor-counter/database/sql/connect';
import { applyFile } from '@visitor-counter/test/admin';

/** Valid values by parameter. */
export const rightValues: Readonly<Record<string, readonly string[]>> = {
  CompanyName: ['Acme', ' aCME '],
  Token: ['the-token-of-acme'],
  InactiveForHours: ['0.001', '24', '1e1'],
  ShopGroupName: ['Größe', 'gro\u0308sse'],
  SerialNumber: ['CU-1', 'cu-2'],
  DateFrom: ['2026-11-01', '2026-11-20T10:15', '2026-10-25T02:30', '0001-01-01', '2026-11-20T10:00:00Z'],
  DateTo: ['2026-11-20', '2026-11-20T10:20', '2026-10-25T02:30', '9999-12-31', '2026-11-20T10:20:00+01:00'],
  In: ['true', '0'],
};

/** Valid values of the read interface by field, in JSON. */
export const rightFields: Readonly<Record<string, readonly unknown[]>> = {
  sid: ['S-1', 'S-2'],
  store: ['S-1', 'S-2'],
  id: ['1', '2'],
  limit: ['1', '1000'],
  after: ['S-1', 'CU-1', '0.0.0'],
  from: ['2026-11-01', '2026-10-25'],
  to: ['2026-11-20', '2026-10-25'],
  bucket: ['15min', 'hour', 'day'],
  by: ['store', 'device', 'group'],
  group: ['Größe', 'gro\u0308sse'],
  compare: ['week'],
  people: [0, 12],
  at: ['2026-11-20T10:20:00Z', '2026-11-20T10:20:00+01:00'],
  note: ['counted twice'],
  token: ['the-token-of-the-staff-of-acme'],
  code: ['AAAAA-AAAAA-AAAAA-AAAAA-AAAAA-AAAAA'],
  serial: ['CU-1', 'CU-3'],
  secretHash: ['0'.repeat(64)],
};

/** Credentials with different rights to the read interface. */
export const readCredentials = ['the-token-of-acme', 'the-token-of-the-staff-of-acme'] as const;

/** A session of the staff. */
export const sessionValue = 'the-session-of-the-staff-of-acme';

export const lifeSignalKey = 'the-key-of-acme-for-life-signals';

const stores = [
  { sid: 'S-1', name: 'Main & <Door> "1", ü', timeZone: 'Europe/Berlin' },
  { sid: 'S-2', name: 'Annex', timeZone: 'America/Los_Angeles', dayStartsAt: '04:30' },
];

const topology = {
  companies: [
    {
      name: 'Acme',
      stores,
      shopGroups: [{ name: 'Größe', stores: ['S-1', 'S-2'] }],
      devices: [
        { serial: 'CU-1', store: 'S-1', secret: 'secret-of-unit-one' },
        { serial: 'CU-2', store: 'S-2', secret: 'secret-of-unit-two' },
      ],
      credentials: [
        { kind: 'counts', label: 'counts', value: rightValues['Token']?.[0] },
        { kind: 'life-signal', label: 'life signal', value: lifeSignalKey },
        { kind: 'staff', label: 'staff', value: readCredentials[1] },
      ],
    },
    { name: 'Other', stores: [{ sid: 'S-1', name: 'Other', timeZone: 'UTC' }] },
  ],
};

/** Fills an empty database: two stores, a door each, a hundred crossings of each on one day. */
export async function fillWorld(databaseUrl: string): Promise<void> {
  await applyFile(JSON.stringify(topology), { DATABASE_URL: databaseUrl });
  const database = connect(databaseUrl, { applicationName: 'attack', maxConnections: 1 });
  try {
    await database.pool.query(crossings);
    await database.pool.query(session, [hashSecret(sessionValue)]);
  } finally {
    await database.close();
  }
}

const crossings = `
  with journal as (
    insert into journal (device_id, name) select id, 'journal' from device returning id, device_id
  )
  insert into crossing (journal_id, device_id, store_id, sequence, at, direction)
  select j.id, j.device_id, a.store_id, n, timestamptz '2026-11-20 09:15:30.123Z' + n * interval '1 minute', case when n % 3 = 0 then -1 else 1 end
  from journal j join device_assignment a using (device_id), generate_series(1, 100) n`;

const session = `
  insert into session (hash, credential_id, created_at, expires_at)
  select $1, id, now(), now() + interval '1 day' from credential where kind = 'staff'`;
