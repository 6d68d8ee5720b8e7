import { connect } from '@visitor-counter/database/connect';
import { applyFile } from '../../support/admin.ts';

/** What a caller who knows everything would send: values that are right, by parameter. */
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
