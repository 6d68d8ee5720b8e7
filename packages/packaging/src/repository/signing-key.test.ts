import { createMessage, readKey, readKeys, readSignature, verify } from 'openpgp';
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

test('signs with each of several keys, so that machines can trust the old or the next one', async () => {
  const keys = await Promise.all([1, 2].map(() => makeKey(undefined, new Date(1_600_000_000_000))));
  const signer = await openSigner({ env: { RELEASE_KEY: keys.join('\n') } }, time);
  const published = await readKeys({ armoredKeys: signer.publicKey });
  expect(published).toHaveLength(2);
  for (const trusted of published) {
    const { signatures } = await verify({
      message: await createMessage({ binary: Buffer.from('text') }),
      signature: await readSignature({ armoredSignature: await signer.detached('text') }),
      verificationKeys: trusted,
      date: new Date(time * 1_000 + 1_000),
    });
    const results = await Promise.allSettled(signatures.map(({ verified }) => verified));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  }
});

test('makes a key that expires, and refuses one that has expired', async () => {
  const key = await makeKey(undefined, new Date(1_400_000_000_000));
  await expect(openSigner({ env: { RELEASE_KEY: key } }, time)).rejects.toThrow('expired on 2019-05-1');
});
