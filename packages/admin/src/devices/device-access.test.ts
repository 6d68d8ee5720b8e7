import { expect, test } from 'vitest';
import { databaseWith } from '../../test/run-admin.ts';

const file = (secret: string) => `companies: [{ name: Acme, stores: [{ sid: S-1, name: Main, timeZone: UTC }],
  devices: [{ serial: CU-1, store: S-1, secret: ${secret} }] }]`;

async function adminWithDevice() {
  const { run } = await databaseWith(file('secret-of-the-unit'));
  const isRevoked = async () =>
    JSON.parse((await run(['device', 'list', '--json'])).out)[0].secretRevokedAt !== null;
  return { run, isRevoked };
}

test('revokes a secret until it is rotated', async () => {
  const { run, isRevoked } = await adminWithDevice();

  expect((await run(['device', 'revoke', 'cu-1'])).out).toBe('revoked device CU-1');
  expect((await run(['device', 'revoke', 'CU-1'])).out).toContain('was revoked before');
  expect((await run(['device', 'list'])).out).toContain('revoked');

  await run(['apply', '-'], file('secret-of-the-unit'));
  expect(await isRevoked()).toBe(true);
  await run(['apply', '-'], file('other-secret-of-the-unit'));
  expect(await isRevoked()).toBe(false);
});

test('shows a rotated secret once, and enables a revoked device again', async () => {
  const { run, isRevoked } = await adminWithDevice();
  await run(['device', 'revoke', 'CU-1']);

  const { out } = await run(['device', 'rotate', 'CU-1', '--json']);

  expect(JSON.parse(out)).toEqual({
    serial: 'CU-1',
    changed: true,
    secret: expect.stringMatching(/^.{32}$/),
  });
  expect(await isRevoked()).toBe(false);
});

test('retires a device: its history remains, no list expects it, and it cannot log in', async () => {
  const { run, isRevoked } = await adminWithDevice();

  expect((await run(['device', 'retire', 'cu-1'])).out).toBe('retired device CU-1');
  expect((await run(['device', 'retire', 'CU-1'])).out).toBe('was retired before: device CU-1');
  expect(await isRevoked()).toBe(true);
  const [listed] = JSON.parse((await run(['device', 'list', '--json'])).out);
  expect(listed).toMatchObject({ retiredAt: expect.any(String), trouble: [] });
  expect((await run(['device', 'rotate', 'CU-1'])).out).toContain('it is still retired');
  expect((await run(['device', 'retire', 'CU-9'])).code).toBe(1);
});
