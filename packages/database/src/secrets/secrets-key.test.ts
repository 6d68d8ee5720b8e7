import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { keptKey, readSecretsKey, type SecretsKey, seal, unseal } from './secrets-key.ts';

const DATABASE_URL = 'postgres://counter@127.0.0.1/counter';
const random = () => randomBytes(32).toString('base64');

async function keyOf(SECRETS_KEY: string): Promise<SecretsKey> {
  const key = await readSecretsKey({ DATABASE_URL, SECRETS_KEY });
  if (key === undefined) throw new Error('no key');
  return key;
}

test('reads a key in base64 and hex, and from a file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'visitor-counter-key-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const bytes = randomBytes(32);
  await writeFile(join(folder, 'key'), `${bytes.toString('base64')}\n`);

  const given = await readSecretsKey({ DATABASE_URL, SECRETS_KEY_FILE: join(folder, 'key') });
  expect(given).toEqual(bytes);
  expect(await keyOf(bytes.toString('hex'))).toEqual(bytes);
  expect(await keyOf(bytes.toString('base64url'))).toEqual(bytes);
  expect(await readSecretsKey({ DATABASE_URL })).toBeUndefined();
});

test('makes one key for an embedded database, which only its owner can read', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'visitor-counter-key-'));
  onTestFinished(() => rm(folder, { recursive: true }));

  const made = await Promise.all(Array.from({ length: 5 }, () => keptKey(folder)));
  const file = join(folder, 'secrets.key');

  expect(new Set(made.map((key) => key.toString('hex'))).size).toBe(1);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readSecretsKey({ DATA_DIR: folder })).toEqual(made[0]);
  await writeFile(file, 'not a key');
  await expect(keptKey(folder)).rejects.toThrow(/secrets\.key is "…": expected 32 random bytes/);
});

test('decrypts with the key that has encrypted, and with no other', async () => {
  const [old, next] = [await keyOf(random()), await keyOf(random())];
  const sealed = seal(old, 'a secret');
  const changed = Buffer.from(sealed.with(20, sealed.readUInt8(20) ^ 1));
  const another = /^it is encrypted with another key than SECRETS_KEY, or damaged$/;

  expect(unseal(old, sealed)).toBe('a secret');
  expect(() => unseal(next, sealed)).toThrow(another);
  expect(() => unseal(old, changed)).toThrow(another);
  expect(() => unseal(old, Buffer.from('x'))).toThrow(another);
});
