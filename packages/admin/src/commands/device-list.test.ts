import { expect, test } from 'vitest';
import { admin } from '../testing/run-admin.ts';

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
