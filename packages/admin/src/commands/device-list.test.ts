import { seed } from '@visitor-counter/test/seed';
import { testDatabase } from '@visitor-counter/test/test-database';
import { expect, test } from 'vitest';
import { admin, adminOn } from '../testing/run-admin.ts';

test('lists devices as a table and as JSON', async () => {
  const run = await admin();
  const stores = '[{ sid: S-1, name: Main Door, timeZone: UTC }]';
  const devices = '[{ serial: CU-1, name: Größe, store: S-1 }, { serial: CU-2, store: S-1, retired: true }]';
  const file = `companies: [{ name: Acme, stores: ${stores}, devices: ${devices} }]`;
  await run(['apply', '-'], file);

  const { out } = await run(['device', 'list']);
  expect(out.split('\n')).toEqual([
    'SERIAL  NAME   COMPANY  STORE          LAST ACTIVITY  ONLINE  RETIRED  SECRET',
    'CU-1    Größe  Acme     S-1 Main Door  never          no      no       valid',
    'CU-2    CU-2   Acme     S-1 Main Door  never          no      yes      valid',
  ]);
  const listed = JSON.parse((await run(['device', 'list', '--company', 'acme', '--json'])).out);
  expect(listed).toMatchObject([
    {
      serial: 'CU-1',
      store: 'S-1',
      storeName: 'Main Door',
      lastActivityAt: null,
      online: false,
      retiredAt: null,
    },
    { serial: 'CU-2', retiredAt: expect.any(String) },
  ]);
});

test('lists devices whatever is stored of them', async () => {
  const url = await testDatabase();
  const rows = seed(url);
  const companyId = await rows.company('Acme');
  const storeId = await rows.store({ companyId, sid: 'S-1', timeZone: 'Mars/Olympus' });
  await rows.device({ companyId, storeId, serial: 'CU-1' });
  const run = adminOn(url);
  for (const instant of ['infinity', '-infinity', '290000-01-01', '4000-01-01 BC']) {
    await rows.query(`update device_state set last_activity_at = $1, heartbeat = '{"x":"\\u0000"}'`, [
      instant,
    ]);
    await rows.query('update device set registered_at = $1, retired_at = $1', [instant]);
    const { code, out, err } = await run(['device', 'list']);
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(instant.startsWith('-') || instant.endsWith('BC') ? /1970-01-01/ : /9999-12-30/);
    expect((await run(['device', 'list', '--json'])).code).toBe(0);
  }
});
