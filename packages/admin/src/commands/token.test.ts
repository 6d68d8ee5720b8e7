import { createTestDatabase } from '@visitor-counter/test/test-database';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { admin, adminOn } from '../testing/run-admin.ts';

const till = ['--company', ' acme ', '--kind', 'counts', '--label', 'till'];

async function adminOfAcme() {
  const run = await admin();
  await run(['apply', '-'], 'companies: [{ name: Acme }, { name: Bell }]');
  return run;
}

test('issues a credential and shows it once', async () => {
  const run = await adminOfAcme();

  const issued = await run(['token', 'issue', ...till, '--expires', '30d', '--json']);

  const { value, expires, ...rest } = JSON.parse(issued.out);
  expect(rest).toEqual({ action: 'created', company: 'Acme', kind: 'counts', label: 'till' });
  expect(Date.parse(expires) - Date.now()).toBeGreaterThan(29.9 * 86_400_000);
  for (const args of [[], ['--json'], ['--company', 'ACME']]) {
    const { code, out } = await run(['token', 'list', ...args]);
    expect(code).toBe(0);
    expect(out).toContain('till');
    expect(out).not.toContain(value);
  }
  expect((await run(['token', 'list', '--company', 'Bell', '--json'])).out).toBe('[]');
});

test('leaves a label in use alone, unless told to rotate it', async () => {
  const run = await adminOfAcme();
  const first = await run(['token', 'issue', ...till, '--expires', '2099-01-01', '--json']);
  const again = await run(['token', 'issue', ...till]);
  expect(again).toMatchObject({ code: 1, out: '', err: expect.stringContaining('--rotate') });

  const rotated = await run(['token', 'issue', ...till, '--rotate', '--json']);

  expect(JSON.parse(rotated.out)).toMatchObject({ action: 'rotated', expires: '2099-01-01T00:00:00.000Z' });
  expect(JSON.parse(rotated.out).value).not.toBe(JSON.parse(first.out).value);
});

test('revokes a credential, once or twice, and issues its label again', async () => {
  const run = await adminOfAcme();
  await run(['token', 'issue', ...till]);

  expect(await run(['token', 'revoke', ...till])).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^revoked/),
  });
  const again = await run(['token', 'revoke', ...till, '--json']);
  expect(JSON.parse(again.out)).toEqual({ company: 'Acme', kind: 'counts', label: 'till', changed: false });
  expect(JSON.parse((await run(['token', 'list', '--json'])).out)).toMatchObject([{ state: 'revoked' }]);

  const value = 'a value of my own';
  const issued = await run(['token', 'issue', ...till, '--value', value, '--json']);
  expect(JSON.parse(issued.out)).toMatchObject({ action: 'reissued', value, expires: null });
  expect(JSON.parse((await run(['token', 'list', '--json'])).out)).toMatchObject([{ state: 'active' }]);
});

const database = await createTestDatabase();
const shared = adminOn(database.url);
beforeAll(async () => {
  await shared(['apply', '-'], 'companies: [{ name: Acme }]');
});
afterAll(() => database.drop());

test.each([
  [
    'an unknown company',
    ['issue', '--company', 'Nobody', '--kind', 'counts', '--label', 'x'],
    1,
    'there is no company "Nobody"',
  ],
  [
    'an unknown company to revoke',
    ['revoke', '--company', 'Nobody', '--kind', 'counts', '--label', 'x'],
    1,
    'there is no company "Nobody"',
  ],
  ['an unknown label', ['revoke', ...till], 1, 'Acme has no counts credential till'],
  [
    'an unknown kind',
    ['issue', '--company', 'Acme', '--kind', 'count', '--label', 'x'],
    2,
    'counts, life-signal, staff',
  ],
  ['a missing label', ['issue', '--company', 'Acme', '--kind', 'counts'], 2, '--label'],
  ['an expiry in the past', ['issue', ...till, '--expires', '2020-01-01'], 2, 'a time to come'],
  ['an expiry that is none', ['issue', ...till, '--expires', '30'], 2, 'a time to come'],
  ['an unknown option', ['list', '--colour'], 2, '--colour'],
])('refuses %s', async (_, args, code, message) => {
  const ran = await shared(['token', ...args]);
  expect(ran).toMatchObject({ code, out: '', err: expect.stringContaining(message) });
});

test('refuses a short value without repeating it, and one that another credential has', async () => {
  const run = await adminOfAcme();
  const short = await run(['token', 'issue', ...till, '--value', 'sesame']);
  expect(short).toMatchObject({ code: 2, err: expect.stringContaining('16 to 256 characters') });
  expect(short.err).not.toContain('sesame');

  await run(['token', 'issue', ...till, '--value', 'open sesame, please']);
  const other = ['--company', 'Bell', '--kind', 'staff', '--label', 'x', '--value', 'open sesame, please'];
  expect(await run(['token', 'issue', ...other])).toMatchObject({
    code: 1,
    err: expect.stringContaining('already'),
  });
});
