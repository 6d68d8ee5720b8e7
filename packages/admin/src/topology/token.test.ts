import { expect, test } from 'vitest';
import { databaseWith } from '../../test/run-admin.ts';

const till = ['--company', ' acme ', '--kind', 'counts', '--label', 'till'];

const companies = 'companies: [{ name: Acme }, { name: Bell }]';

test('issues a credential and shows it once', async () => {
  const { run } = await databaseWith(companies);

  const issued = await run(['token', 'issue', ...till, '--expires', '30d', '--json']);

  const { value, expires, ...rest } = JSON.parse(issued.out);
  expect(rest).toEqual({
    action: 'created',
    company: 'Acme',
    kind: 'counts',
    label: 'till',
    stores: null,
    settings: false,
  });
  expect(Date.parse(expires) - Date.now()).toBeGreaterThan(29.9 * 86_400_000);
  for (const args of [[], ['--json'], ['--company', 'ACME']]) {
    const { code, out } = await run(['token', 'list', ...args]);
    expect(code).toBe(0);
    expect(out).toContain('till');
    expect(out).not.toContain(value);
  }
  expect((await run(['token', 'list', '--company', 'Bell', '--json'])).out).toBe('[]');
});

test('replaces the value of a label in use only with --rotate', async () => {
  const { run } = await databaseWith(companies);
  const first = await run(['token', 'issue', ...till, '--expires', '2099-01-01', '--json']);
  const again = await run(['token', 'issue', ...till, '--json']);
  expect(JSON.parse(again.out)).not.toHaveProperty('value');
  const own = await run(['token', 'issue', ...till, '--value', 'a value of my own']);
  expect(own).toMatchObject({ code: 1, out: '', err: expect.stringContaining('--rotate') });

  const rotated = await run(['token', 'issue', ...till, '--rotate', '--json']);

  expect(JSON.parse(rotated.out)).toMatchObject({ action: 'rotated', expires: '2099-01-01T00:00:00.000Z' });
  expect(JSON.parse(rotated.out).value).not.toBe(JSON.parse(first.out).value);
});

test('revokes a credential, once or twice, and issues its label again', async () => {
  const { run } = await databaseWith(companies);
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

test('limits a credential to stores until it is removed', async () => {
  const stores = ['S-1', 'S-2', 'S-3'].map((sid) => ({ sid, name: sid, timeZone: 'UTC' }));
  const { run } = await databaseWith(JSON.stringify({ companies: [{ name: 'Acme', stores }] }));
  const issue = async (...args: string[]) => {
    const { out } = await run(['token', 'issue', ...till, ...args, '--json']);
    return JSON.parse(out).stores;
  };
  expect(await issue('--stores', 'S-2', 'S-1')).toEqual(['S-1', 'S-2']);
  expect((await run(['token', 'list'])).out).toMatch(/S-1, S-2 +active$/);
  expect(await issue('--rotate')).toEqual(['S-1', 'S-2']);
  await run(['token', 'revoke', ...till]);
  expect(await issue()).toEqual(['S-1', 'S-2']);
  expect(await issue('--stores', 'null')).toBe(null);
  expect(await run(['token', 'issue', ...till, '--rotate', '--stores', 'S-9'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('stores[0] is "S-9": expected the sid of a store of Acme'),
  });
});

test('rejects a short value without repeating it, and the value of another credential', async () => {
  const { run } = await databaseWith(companies);
  const short = await run(['token', 'issue', ...till, '--value', 'sesame']);
  expect(short).toMatchObject({ code: 2, err: expect.stringContaining('16 to 256 characters') });
  expect(short.err).not.toContain('sesame');

  await run(['token', 'issue', ...till, '--value', 'open sesame, please']);
  const other = ['--company', 'Bell', '--kind', 'staff', '--label', 'x', '--value', 'open sesame, please'];
  expect(await run(['token', 'issue', ...other])).toMatchObject({
    code: 2,
    err: expect.stringContaining('a value that no other credential has'),
  });
});

test('issues a staff credential with the right to change settings, until it is removed', async () => {
  const { run } = await databaseWith(companies);
  const office = ['--company', 'Acme', '--kind', 'staff', '--label', 'office', '--json'];
  const listed = async () => JSON.parse((await run(['token', 'list', '--json'])).out)[0].settings;
  await run(['token', 'issue', ...office, '--settings', 'true']);
  expect(await listed()).toBe(true);
  await run(['token', 'issue', ...office, '--rotate']);
  expect(await listed()).toBe(true);
  await run(['token', 'issue', ...office, '--settings', 'false']);
  expect(await listed()).toBe(false);
  expect(await run(['token', 'issue', ...till, '--settings', 'true'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('settings is true: expected false'),
  });
});
