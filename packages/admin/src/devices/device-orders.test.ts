import { expect, test } from 'vitest';
import { databaseWith } from '../../test/run-admin.ts';

const file = `companies: [{ name: Acme, stores: [{ sid: S-1, name: Main, timeZone: UTC }],
  devices: [{ serial: CU-1, store: S-1 }] }]`;

test('assigns each change of remote settings a revision, which the unit must report', async () => {
  const { run } = await databaseWith(file);
  expect((await run(['device', 'orders', 'CU-1'])).out).toBe('CU-1: no remote settings');
  await run(['device', 'configure', 'cu-1', '--set', '{detector: {debounce: 9}}']);
  const { out } = await run(['device', 'configure', 'CU-1', '--set', '{"keep":{"days":3}}', '--json']);
  const [{ serial, revision }] = JSON.parse(out);
  expect(serial).toBe('CU-1');
  const shown = await run(['device', 'orders', 'CU-1']);
  expect(shown.out).toMatch(new RegExp(`revision ${revision} of .*, not yet answered`));
});

test('leaves commands pending until the unit connects or they expire', async () => {
  const { run } = await databaseWith(file);
  const identify = await run(['device', 'command', 'CU-1', 'identify']);
  expect(identify.out).toMatch(/\nCU-1 +\d+$/);
  await run(['device', 'command', 'CU-1', 'begin-journal', '--journal', 'a1', '--within', '2h']);
  const { out } = await run(['device', 'orders', 'CU-1', '--json']);
  expect(JSON.parse(out).commands).toMatchObject([
    { command: { command: 'begin-journal', journal: 'a1' }, state: 'pending' },
    { command: { command: 'identify' } },
  ]);
  expect((await run(['device', 'orders', 'CU-1'])).out).toMatch(/waiting for the unit until 20/);
});

test('shows what the unit reports about its commands', async () => {
  const { run, query } = await databaseWith(file);
  await run(['device', 'command', 'CU-1', 'identify']);
  const shownAfter = async (changes: string) => {
    await query(`update device_command set ${changes}`);
    return (await run(['device', 'orders', 'CU-1'])).out.split('\n').at(-1);
  };
  expect(await shownAfter(`expires_at = '2026-11-20Z'`)).toBe('    expired at 2026-11-20T00:00:00Z');
  expect(await shownAfter(`state = 'running'`)).toBe('    running');
  const failed = `state = 'failed', finished_at = '2026-11-20Z', problem = E'a\\x1b[2J\nb'`;
  expect(await shownAfter(failed)).toBe('    failed 2026-11-20T00:00:00Z, a\\u{1b}[2J b');
});

const fleet = `companies:
  - name: Acme
    stores: [{ sid: S-1, name: Main, timeZone: UTC }, { sid: S-2, name: Side, timeZone: UTC }]
    shopGroups: [{ name: West, stores: [S-1, S-2] }]
    devices:
      - { serial: CU-1, store: S-1 }
      - { serial: CU-2, store: S-1 }
      - { serial: CU-3, store: S-2 }
      - { serial: CU-4, store: S-2, retired: true }
  - name: Bell
    stores: [{ sid: S-1, name: Bell, timeZone: UTC }]
    devices: [{ serial: BU-1, store: S-1 }]`;

test('orders from several devices after confirmation', async () => {
  const { run, query } = await databaseWith(fleet);
  const west = ['--group', 'West'];
  const refused = await run(['device', 'command', 'restart', ...west], 'no\n');
  expect([refused.code, refused.out]).toEqual([
    1,
    expect.stringContaining('restart for 3 devices: CU-1, CU-2, CU-3.'),
  ]);

  expect((await run(['device', 'command', 'restart', ...west], 'yes\n')).out).toMatch(
    /\nCU-1 .*\nCU-2 .*\nCU-3 /,
  );
  await run(['device', 'command', 'CU-1', 'CU-3', 'identify', '--yes']);
  await run(['device', 'command', 'diagnose', '--store', 'S-1', '--company', 'Acme', '--yes']);
  await run(['device', 'configure', '--company', 'Acme', '--set', '{keep: {days: 9}}', '--yes']);
  const ordered = await query(
    `select serial, command->>'command' as command from device_command join device on device.id = device_id
     order by 2, 1`,
  );
  expect(ordered.map(({ serial, command }) => `${serial} ${command}`)).toEqual([
    'CU-1 diagnose',
    'CU-2 diagnose',
    'CU-1 identify',
    'CU-3 identify',
    'CU-1 restart',
    'CU-2 restart',
    'CU-3 restart',
  ]);
  const settings = await query('select serial from device where settings is not null order by serial');
  expect(settings.map(({ serial }) => serial)).toEqual(['CU-1', 'CU-2', 'CU-3']);
});

test('orders nothing from devices of two companies, without a choice, or if no device is chosen', async () => {
  const { run } = await databaseWith(fleet);
  const cases: [string[], number, RegExp][] = [
    [['command', 'restart', '--store', 'S-1', '--yes'], 1, /Acme, Bell: choose one with --company/],
    [['command', 'restart', '--yes'], 2, /serial numbers, or a choice/],
    [['command', 'CU-1', 'restart', '--store', 'S-1'], 2, /not both/],
    [['command', 'CU-1', 'CU-9', 'restart', '--yes'], 1, /no device "CU-9"/],
    [['command', 'restart', '--group', 'East', '--yes'], 1, /no shop group "East"/],
    [['command', 'begin-journal', '--journal', 'a1', '--company', 'Acme', '--yes'], 2, /--journal/],
    [['configure', '--company', 'Acme', '--set', '{}', '--json'], 2, /--yes/],
  ];
  for (const [words, code, message] of cases) {
    const ran = await run(['device', ...words]);
    expect([ran.code, ran.err]).toEqual([code, expect.stringMatching(message)]);
  }
  expect((await run(['device', 'orders', 'CU-1', '--json'])).out).toContain('"commands":[]');
});
