import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMessage, readCleartextMessage, readKey, readSignature, verify } from 'openpgp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildDeb, controlOf } from '../deb/build-deb.ts';
import type { BuiltPackage } from '../program/write-package.ts';
import { buildRepository, keyFile } from './build-repository.ts';
import { makeKey, openSigner } from './signing-key.ts';

const time = 1_700_000_000;
let folder: string;
let key: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'counter-repository-'));
  key = await makeKey(undefined, new Date(1_600_000_000_000));
});
afterAll(() => rm(folder, { recursive: true }));

async function repository(name: string, architectures = ['amd64', 'arm64']): Promise<string> {
  const packages: BuiltPackage[] = [];
  await mkdir(join(folder, name));
  for (const architecture of architectures) {
    const control = { Package: 'some', Version: '1.0', Architecture: architecture, Description: 'one\n two' };
    const files = [{ path: '/usr/share/some/file', content: architecture }];
    const path = join(folder, name, `some_1.0_${architecture}.deb`);
    await writeFile(path, await buildDeb({ control, scripts: {}, files, time }));
    packages.push({ path, name: 'some', architecture, control: controlOf({ control, files }) });
  }
  const out = join(folder, name, 'apt');
  const signer = await openSigner({ env: { RELEASE_KEY: key } }, time);
  await buildRepository({ out, packages, version: '1.0', time, signer });
  return out;
}

test('signs the list of indexes in both forms with the key that it publishes', async () => {
  const out = await repository('signed');
  const verificationKeys = await readKey({ armoredKey: await readFile(join(out, keyFile), 'utf8') });
  const read = (name: string) => readFile(join(out, 'dists/stable', name), 'utf8');
  const release = await read('Release');
  expect(release).toContain('\nDate: Tue, 14 Nov 2023 22:13:20 UTC\n');
  const message = await readCleartextMessage({ cleartextMessage: await read('InRelease') });
  const { signatures } = await verify({ message, verificationKeys });
  await expect(signatures[0]?.verified).resolves.toBe(true);
  expect(message.getText().trim()).toBe(release.trim());
  const detached = await verify({
    message: await createMessage({ binary: Buffer.from(release) }),
    signature: await readSignature({ armoredSignature: await read('Release.gpg') }),
    verificationKeys,
  });
  await expect(detached.signatures[0]?.verified).resolves.toBe(true);
  expect(verificationKeys.isPrivate()).toBe(false);
});

test('writes the same bytes from the same packages, commit and key', async () => {
  const contents = async (out: string) => {
    const entries = await readdir(out, { recursive: true, withFileTypes: true });
    const files = entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
    return Promise.all(files.sort().map(async (file) => [file.slice(out.length), await readFile(file)]));
  };
  expect(await contents(await repository('one'))).toEqual(await contents(await repository('two')));
});
