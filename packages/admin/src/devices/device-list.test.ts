import { expect, test } from 'vitest';
import { databaseWith } from '../../test/run-admin.ts';

/** Two companies with three stores; CU-1 and CU-2 are in S-1, CU-3 in S-2. */
const file = `companies:
  - name: Acme
    stores: [{ sid: S-1, name: Main, timeZone: UTC }, { sid: S-2, name: Side, timeZone: UTC }]
    shopGroups: [{ name: West, stores: [S-1] }]
    devices:
      - { serial: CU-1, name: Größe, store: S-1 }
      - { serial: CU-2, store: S-1, retired: true }
      - { serial: CU-3, store: S-2 }
  - name: Bell
    stores: [{ sid: S-1, name: Bell, timeZone: UTC }]
    shopGroups: [{ name: West, stores: [] }]
    devices: [{ serial: BU-1, store: S-1 }]`;

async function adminWithDevices() {
  const { run, query } = await databaseWith(file);
  /** The unit sent this heartbeat `age` seconds ago, and is connected if `online`. */
  const report = async (serial: string, heartbeat: object | string, age = 0, online = true) => {
    const text =
      typeof heartbeat === 'string'
        ? heartbeat
        : JSON.stringify({ at: Date.now() - age * 1_000, ...heartbeat });
    await query(
      `insert into device_state (device_id, last_activity_at, heartbeat_at, heartbeat, online)
       select id, at, at, $2, $4 from device, (select now() - make_interval(secs => $3) as at) as seen
       where serial = $1
       on conflict (device_id) do update
       set last_activity_at = excluded.last_activity_at, heartbeat_at = excluded.heartbeat_at,
         heartbeat = excluded.heartbeat, online = excluded.online`,
      [serial, text, age, online],
    );
  };
  const serials = async (...options: string[]) =>
    JSON.parse((await run(['device', 'list', '--json', ...options])).out).map(
      ({ serial }: { serial: string }) => serial,
    );
  return { run, query, report, serials };
}

const beam = (state: string) => ({ name: 'a', state, since: 1, breaks: 0 });

const well = {
  version: '1.4.0',
  clock: 'synced',
  recorded: 12,
  acknowledged: 12,
  diskFree: 25e9,
  diskSize: 31e9,
  beams: [beam('clear')],
};

test('lists the last reports of the units, and unknown for values that they have not reported', async () => {
  const { run, report } = await adminWithDevices();
  await report(
    'CU-1',
    { ...well, recorded: 40, beams: [beam('clear'), { ...beam('blocked'), name: 'b' }] },
    7_300,
    false,
  );
  await report('CU-3', { diskFree: 850e6 }, 330, false);

  const { out } = await run(['device', 'list', '--company', 'acme']);
  expect(out.split('\n')).toEqual([
    'SERIAL  STORE  SEEN     VERSION  CLOCK    DISK FREE  PENDING  BEAMS',
    'CU-1    S-1    2h ago   1.4.0    synced   25 GB      28       1 blocked',
    'CU-2    S-1    retired  unknown  unknown  unknown    unknown  unknown',
    'CU-3    S-2    5m ago   unknown  unknown  850 MB     unknown  unknown',
  ]);
  const listed = JSON.parse((await run(['device', 'list', '--company', 'acme', '--json'])).out);
  expect(listed).toMatchObject([
    {
      serial: 'CU-1',
      name: 'Größe',
      store: 'S-1',
      storeName: 'Main',
      online: false,
      retiredAt: null,
      version: '1.4.0',
      clock: 'synced',
      diskFree: 25e9,
      diskSize: 31e9,
      pending: 28,
      beams: [
        { name: 'a', state: 'clear' },
        { name: 'b', state: 'blocked' },
      ],
      trouble: ['offline', 'beam blocked'],
    },
    { serial: 'CU-2', version: null, pending: null, beams: null, trouble: [] },
    { serial: 'CU-3', version: null, clock: null, diskFree: 850e6, diskSize: null, pending: null },
  ]);
  expect(listed[0]).not.toHaveProperty('heartbeat');
});

test('chooses devices by company, store and shop group', async () => {
  const { serials, run } = await adminWithDevices();
  expect(await serials()).toEqual(['CU-1', 'CU-2', 'CU-3', 'BU-1']);
  expect(await serials('--store', 'S-1')).toEqual(['CU-1', 'CU-2', 'BU-1']);
  expect(await serials('--store', 'S-1', '--company', 'Bell')).toEqual(['BU-1']);
  expect(await serials('--group', 'west')).toEqual(['CU-1', 'CU-2']);
  expect(await serials('--group', 'West', '--store', 'S-2')).toEqual([]);
  expect((await run(['device', 'list', '--group', 'Wset'])).err).toBe('there is no shop group "Wset"');
});

test('lists devices in trouble with the reasons', async () => {
  const { run, query, report, serials } = await adminWithDevices();
  for (const serial of ['CU-1', 'CU-3', 'BU-1']) await report(serial, well);
  expect(await serials('--trouble')).toEqual([]);
  const blocked = { ...well, beams: [beam('blocked')] };
  await report('CU-1', blocked);
  expect((await run(['device', 'list', '--trouble'])).out).toMatch(/ 1 blocked +beam blocked$/);
  await report('CU-1', { ...well, lines: { problem: 'gpiomon is not installed' } });
  expect((await run(['device', 'list', '--trouble'])).out).toMatch(
    / unreadable +beams cannot be read: diagnose$/,
  );
  await report('CU-1', { ...well, clock: 'unsynced', diskFree: 1e9 });
  await report('CU-3', { ...well, recorded: 112, diskFree: 190e6 }, 300, false);
  await query(`update device set secret_revoked_at = now() where serial = 'BU-1'`);
  const { out } = await run(['device', 'list', '--trouble']);
  expect(out.split('\n').map((line) => [line.split(' ')[0], line.split('  ').at(-1)?.trim()])).toEqual([
    ['SERIAL', 'TROUBLE'],
    ['CU-1', 'clock not set, disk low'],
    ['CU-3', 'offline, disk low, many pending'],
    ['BU-1', 'secret revoked'],
  ]);
});
