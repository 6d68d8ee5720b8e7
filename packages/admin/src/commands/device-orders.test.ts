import { expect, test } from 'vitest';
import { admin } from '../testing/run-admin.ts';

const file = `companies: [{ name: Acme, stores: [{ sid: S-1, name: Main, timeZone: UTC }],
  devices: [{ serial: CU-1, store: S-1 }] }]`;

async function adminWithDevice() {
  const run = await admin();
  await run(['apply', '-'], file);
  return run;
}

test('remote settings have a revision of their own each time, and wait for the answer of the unit', async () => {
  const run = await adminWithDevice();
  expect((await run(['device', 'configure', 'CU-1'])).out).toBe('CU-1: no remote settings');
  await run(['device', 'configure', 'cu-1', '--set', '{detector: {debounce: 9}}']);
  const { out } = await run(['device', 'configure', 'CU-1', '--set', '{"keep":{"days":3}}', '--json']);
  expect(JSON.parse(out)).toMatchObject({
    serial: 'CU-1',
    config: { settings: { keep: { days: 3 } } },
    answered: null,
  });
  const { revision } = JSON.parse(out).config;
  const shown = await run(['device', 'orders', 'CU-1']);
  expect(shown.out).toMatch(new RegExp(`revision ${revision} of .*, not yet answered`));
});

test('commands are numbered, and wait until they expire', async () => {
  const run = await adminWithDevice();
  const identify = await run(['device', 'command', 'CU-1', 'identify']);
  expect(identify.out).toMatch(/^asked CU-1 to identify: command \d+$/);
  await run(['device', 'command', 'CU-1', 'resend', '--from', '2026-11-20T10:00:00Z', '--within', '2h']);
  const { out } = await run(['device', 'configure', 'CU-1', '--json']);
  expect(JSON.parse(out).commands).toMatchObject([
    { command: { command: 'resend', from: Date.UTC(2026, 10, 20, 10), until: expect.any(Number) } },
    { command: { command: 'identify' } },
  ]);
});

test('refuses what cannot be asked, and names it', async () => {
  const run = await adminWithDevice();
  const cases: [string[], number, RegExp][] = [
    [['configure', 'CU-2'], 1, /no device "CU-2"/],
    [['configure', 'CU-1', '--set', '[1]'], 2, /--set/],
    [['configure', 'CU-1', '--set', '{'], 2, /--set/],
    [['command', 'CU-1', 'dance'], 2, /identify, resend, restart/],
    [['command', 'CU-1', 'resend'], 2, /--from/],
  ];
  for (const [args, code, message] of cases) {
    const result = await run(['device', ...args]);
    expect([result.code, result.err]).toEqual([code, expect.stringMatching(message)]);
  }
});
