import type { StoredCommand } from '@visitor-counter/database/operating/unit-orders';
import { expect, test } from 'vitest';
import { unitOrdersText } from '../terminal/unit-orders-text.ts';
import { admin } from '../testing/run-admin.ts';

const file = `companies: [{ name: Acme, stores: [{ sid: S-1, name: Main, timeZone: UTC }],
  devices: [{ serial: CU-1, store: S-1 }] }]`;

async function adminWithDevice() {
  const run = await admin();
  await run(['apply', '-'], file);
  return run;
}

test('each change of remote settings has a revision of its own, which the unit has to report', async () => {
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

test('commands wait for the unit until they expire', async () => {
  const run = await adminWithDevice();
  const identify = await run(['device', 'command', 'CU-1', 'identify']);
  expect(identify.out).toMatch(/^identify ordered from CU-1: command \d+$/);
  await run(['device', 'command', 'CU-1', 'resend', '--from', '2026-11-20T10:00:00Z', '--within', '2h']);
  await run(['device', 'command', 'CU-1', 'resend', '--journal', 'a1', '--first', '3', '--last', '9']);
  await run(['device', 'command', 'CU-1', 'begin-journal', '--journal', 'a1']);
  const { out } = await run(['device', 'orders', 'CU-1', '--json']);
  expect(JSON.parse(out).commands).toMatchObject([
    { command: { command: 'begin-journal', journal: 'a1' }, state: 'pending' },
    { command: { command: 'resend', journal: 'a1', first: 3, last: 9 } },
    { command: { command: 'resend', from: Date.UTC(2026, 10, 20, 10), until: expect.any(Number) } },
    { command: { command: 'identify' } },
  ]);
  expect((await run(['device', 'orders', 'CU-1'])).out).toMatch(/waiting for the unit until 20/);
});

test('shows what the unit reports about its commands', () => {
  const at = new Date(Date.UTC(2026, 10, 20));
  const stored: StoredCommand = {
    ...{ id: 7, command: { command: 'identify' }, createdAt: at, expiresAt: at, state: 'pending' },
    ...{ sent: null, total: null, problem: null, missing: null, finishedAt: null },
  };
  const shown = (changes: Partial<StoredCommand>) => {
    const orders = { config: null, answered: null, commands: [{ ...stored, ...changes }] };
    return unitOrdersText('CU-1', orders).split('\n').slice(2).join('\n').trim();
  };
  expect(shown({})).toBe('expired 2026-11-20T00:00:00Z: the unit did not connect in time');
  expect(shown({ state: 'running', sent: 5, total: 9 })).toBe('running, 5 of 9 crossings sent');
  expect(shown({ state: 'failed', problem: 'no journal', finishedAt: at })).toBe(
    'failed 2026-11-20T00:00:00Z: no journal',
  );
  const missing = [
    [1, 3],
    [8, 8],
  ];
  expect(shown({ state: 'done', sent: 5, total: 9, missing, finishedAt: at })).toBe(
    'done 2026-11-20T00:00:00Z, 5 of 9 crossings sent\n    the unit no longer has the sequences 1 to 3, 8 to 8',
  );
});

test('refuses what cannot be ordered, and names it', async () => {
  const run = await adminWithDevice();
  const cases: [string[], number, RegExp][] = [
    [['configure', 'CU-2'], 1, /no device "CU-2"/],
    [['configure', 'CU-1', '--set', '[1]'], 2, /--set/],
    [['configure', 'CU-1', '--set', '{'], 2, /--set/],
    [['command', 'CU-1', 'dance'], 2, /identify, resend, restart/],
    [['command', 'CU-1', 'resend'], 2, /--from/],
    [['command', 'CU-1', 'resend', '--first', '0', '--last', '2'], 2, /--first/],
    [['command', 'CU-1', 'begin-journal'], 2, /--journal/],
  ];
  for (const [args, code, message] of cases) {
    const result = await run(['device', ...args]);
    expect([result.code, result.err]).toEqual([code, expect.stringMatching(message)]);
  }
});
