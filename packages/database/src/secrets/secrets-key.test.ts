import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { SealedSecretError, seal, unseal } from './seal.ts';
import { keptKey, readSecretsKeys, type SecretsKeys } from './secrets-key.ts';

const DATABASE_URL = 'postgres://counter@127.0.0.1/counter';
const random = () => randomBytes(32).toString('base64');

async function keysOf(SECRETS_KEY: string, SECRETS_KEY_PREVIOUS?: string): Promise<SecretsKeys> {
  const keys = await readSecretsKeys({ DATABASE_URL, SECRETS_KEY, SECRETS_KEY_PREVIOUS });
  if (keys === undefined) throw new Error('no keys');
  return keys;
}

test.each([
  ['too short', randomBytes(31).toString('base64')],
  ['a password', 'correct horse battery staple'],
  ['zeros', Buffer.alloc(32).toString('base64')],
  ['one byte', Buffer.alloc(32, 'a').toString('hex')],
])('refuses %s as a key, without showing it', async (_, SECRETS_KEY) => {
  const reading = readSecretsKeys({ DATABASE_URL, SECRETS_KEY });
  await expect(reading).rejects.toThrow(/^SECRETS_KEY is "…": expected 32 random bytes in base64/);
});

test('reads a key in base64 and hex, and from a file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'visitor-counter-key-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const bytes = randomBytes(32);
  await writeFile(join(folder, 'key'), `${bytes.toString('base64')}\n`);

  const given = await readSecretsKeys({ DATABASE_URL, SECRETS_KEY_FILE: join(folder, 'key') });
  expect(given?.current.bytes).toEqual(bytes);
  expect((await keysOf(bytes.toString('hex'))).current.bytes).toEqual(bytes);
  expect((await keysOf(bytes.toString('base64url'))).current.bytes).toEqual(bytes);
  expect(await readSecretsKeys({ DATABASE_URL })).toBeUndefined();
});

test('makes one key for an embedded database, which only its owner can read', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'visitor-counter-key-'));
  onTestFinished(() => rm(folder, { recursive: true }));

  const made = await Promise.all(Array.from({ length: 5 }, () => keptKey(folder)));
  const file = join(folder, 'secrets.key');

  expect(new Set(made.map(({ bytes }) => bytes.toString('hex'))).size).toBe(1);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await readSecretsKeys({ DATA_DIR: folder }))?.current).toEqual(made[0]);
  await writeFile(file, 'not a key');
  await expect(keptKey(folder)).rejects.toThrow(/secrets\.key is "…": expected 32 random bytes/);
});

test('decrypts with the key that has encrypted, current or previous, and names the keys otherwise', async () => {
  const [old, next, other] = [random(), random(), random()];
  const sealed = seal(await keysOf(old), 'a secret');

  expect(unseal(await keysOf(old), sealed)).toBe('a secret');
  expect(unseal(await keysOf(next, old), sealed)).toBe('a secret');
  const failing = await keysOf(next, other);
  expect(() => unseal(failing, sealed)).toThrow(
    /^it is encrypted with the key [0-9a-f]{16}, and SECRETS_KEY is [0-9a-f]{16}$/,
  );
});

test('encrypts the same text differently each time, and notices every changed byte', async () => {
  const keys = await keysOf(random());
  const sealed = seal(keys, 'a secret');

  expect(seal(keys, 'a secret')).not.toEqual(sealed);
  expect(sealed.includes('a secret')).toBe(false);
  for (let index = 0; index < sealed.length; index += 1) {
    const changed = Buffer.from(sealed);
    changed[index] = (changed[index] ?? 0) ^ 1;
    expect(() => unseal(keys, changed)).toThrow(SealedSecretError);
  }
  for (const length of [0, 1, 9, 21, 30]) {
    expect(() => unseal(keys, sealed.subarray(0, length))).toThrow(SealedSecretError);
  }
});
