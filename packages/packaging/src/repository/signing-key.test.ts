import { readKey, readSignature } from 'openpgp';
import { expect, test } from 'vitest';
import { makeKey, openSigner } from './signing-key.ts';

const time = 1_700_000_000;

test('makes a key that signs, and needs its passphrase', async () => {
  const key = await makeKey('correct horse', new Date(1_600_000_000_000));
  const locked = { RELEASE_KEY: key };
  await expect(openSigner({ env: locked }, time)).rejects.toThrow('RELEASE_KEY_PASSPHRASE is not set');
  const wrong = { ...locked, RELEASE_KEY_PASSPHRASE: 'x' };
  await expect(openSigner({ env: wrong }, time)).rejects.toThrow('RELEASE_KEY_PASSPHRASE is "…"');
  const signer = await openSigner({ env: { ...locked, RELEASE_KEY_PASSPHRASE: 'correct horse' } }, time);
  expect((await readKey({ armoredKey: signer.publicKey })).isPrivate()).toBe(false);
  expect(await signer.detached('text')).toBe(await signer.detached('text'));
});

test('names a key that is missing or not a private key, and never shows it', async () => {
  await expect(openSigner({ env: {} }, time)).rejects.toThrow('RELEASE_KEY_FILE is not set');
  await expect(openSigner({ env: { RELEASE_KEY: 'secret' } }, time)).rejects.toThrow('RELEASE_KEY is "…"');
  await expect(openSigner({ file: '/missing', env: {} }, time)).rejects.toThrow('--key-file is "/missing"');
  const env = { RELEASE_KEY_FILE: '/missing' };
  await expect(openSigner({ env }, time)).rejects.toThrow('RELEASE_KEY_FILE is "/missing"');
});

test('signs with the instant of a key that is newer than the commit', async () => {
  const made = new Date(1_800_000_000_000);
  const signer = await openSigner({ env: { RELEASE_KEY: await makeKey(undefined, made) } }, time);
  const signature = await readSignature({ armoredSignature: await signer.detached('text') });
  expect(signature.packets[0]?.created).toEqual(made);
});
