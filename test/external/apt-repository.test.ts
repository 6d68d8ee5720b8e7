import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildDeb } from '@visitor-counter/packaging/deb/build-deb';
import type { BuiltPackage } from '@visitor-counter/packaging/program/write-package';
import { buildRepository, keyFile } from '@visitor-counter/packaging/repository/build-repository';
import { openSigner } from '@visitor-counter/packaging/repository/signer';
import { makeSigningKey } from '@visitor-counter/test/signing-key';
import { afterAll, beforeAll, expect, test } from 'vitest';

/* apt in a root of its own: its lists, its sources and its packages; nothing of this machine. */

const run = promisify(execFile);
const time = 1_700_000_000;

let folder: string;
let server: Server;
let url: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'counter-apt-'));
  await publish('1.0.0');
  server = createServer((request, response) => {
    readFile(join(folder, 'web', decodeURIComponent(request.url ?? ''))).then(
      (content) => response.end(content),
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  await makeRoot();
});
afterAll(async () => {
  server.close();
  await rm(folder, { recursive: true });
});

const key = makeSigningKey();

/** Replaces the repository by one with a package of this version. */
async function publish(version: string, web = 'web'): Promise<void> {
  const packages: BuiltPackage[] = [];
  await mkdir(join(folder, 'debs'), { recursive: true });
  for (const architecture of ['amd64', 'arm64']) {
    const control = [
      'Package: some-counter',
      `Version: ${version}`,
      `Architecture: ${architecture}`,
      'Maintainer: A <a@b.example>',
      'Description: a package\n',
    ].join('\n');
    const files = [
      { path: '/DEBIAN/control', content: control },
      { path: '/usr/share/some-counter/version', content: `${version} ${architecture}` },
    ];
    const path = join(folder, 'debs', `some-counter_${version}_${architecture}.deb`);
    await writeFile(path, await buildDeb({ files, time }));
    packages.push({ path, name: 'some-counter', architecture });
  }
  const signer = openSigner(key, time);
  await buildRepository({ out: join(folder, web), packages, version, time, signer });
}

async function makeRoot(): Promise<void> {
  const root = join(folder, 'root');
  for (const path of [
    'etc/apt/preferences.d',
    'etc/apt/keyrings',
    'var/lib/dpkg',
    'var/lib/apt/lists/partial',
  ]) {
    await mkdir(join(root, path), { recursive: true });
  }
  await mkdir(join(root, 'var/cache/apt/archives/partial'), { recursive: true });
  await writeFile(join(root, 'var/lib/dpkg/status'), '');
  await trust(await readFile(join(folder, 'web', keyFile), 'utf8'));
  const signedBy = join(root, 'etc/apt/keyrings', keyFile);
  await writeFile(join(root, 'etc/apt/sources.list'), `deb [signed-by=${signedBy}] ${url} stable main\n`);
}

function trust(publicKey: string): Promise<void> {
  return writeFile(join(folder, 'root/etc/apt/keyrings', keyFile), publicKey);
}

/** Runs a program of apt with the root above; returns its output with its errors. */
async function apt(program: string, ...args: string[]): Promise<string> {
  const root = join(folder, 'root');
  const options = [
    `Dir=${root}`,
    `Dir::State::status=${root}/var/lib/dpkg/status`,
    `Dir::Etc::sourceparts=-`,
    'APT::Architecture=amd64',
    'APT::Sandbox::User=root',
    'Acquire::http::Proxy=false',
    'Debug::NoLocking=true',
  ].flatMap((option) => ['-o', option]);
  const { stdout, stderr } = await run(program, [...options, ...args], { cwd: folder });
  return stdout + stderr;
}

test('apt accepts the repository and downloads the package that it lists', async () => {
  const update = await apt('apt-get', '--error-on=any', 'update');
  expect(update).not.toMatch(/^(W|E):/m);
  expect(await apt('apt-cache', 'policy', 'some-counter')).toContain('Candidate: 1.0.0');
  await apt('apt-get', 'download', 'some-counter');
  const { stdout } = await run('dpkg-deb', ['--info', join(folder, 'some-counter_1.0.0_amd64.deb')]);
  expect(stdout).toContain('Architecture: amd64');
  const simulation = await apt('apt-get', '--simulate', 'install', 'some-counter');
  expect(simulation).toContain('Inst some-counter (1.0.0 Visitor Counter:1.0.0/stable [amd64])');
});

test('apt offers the next release as an upgrade, and still has the one before', async () => {
  await publish('1.1.0');
  await apt('apt-get', '--error-on=any', 'update');
  expect(await apt('apt-cache', 'policy', 'some-counter')).toContain('Candidate: 1.1.0');
  const earlier = await apt('apt-get', '--simulate', 'install', 'some-counter=1.0.0');
  expect(earlier).toContain('Inst some-counter (1.0.0');
});

test('apt refuses the repository if an index was changed', async () => {
  const index = join(folder, 'web/dists/stable/main/binary-amd64/Packages');
  const list = join(folder, 'web/dists/stable/InRelease');
  const [signed, true_] = [await readFile(list, 'utf8'), await readFile(index, 'utf8')];
  await writeFile(list, signed.replace('Version: 1.1.0', 'Version: 9.9.9'));
  await expect(apt('apt-get', '--error-on=any', 'update')).rejects.toThrow(/BADSIG|signature|not signed/i);
  await writeFile(list, signed);
  await writeFile(index, true_);
});

test('the same packages, date and keys give the same bytes, and gpg accepts both signatures', async () => {
  await publish('1.1.0', 'one');
  await publish('1.1.0', 'two');
  await run('diff', ['--recursive', join(folder, 'one'), join(folder, 'two')]);
  const dist = join(folder, 'one/dists/stable');
  expect(await readFile(join(dist, 'Release'), 'utf8')).toContain('Date: Tue, 14 Nov 2023 22:13:20 UTC\n');
  for (const files of [['InRelease'], ['Release.gpg', 'Release']]) {
    const paths = files.map((file) => join(dist, file));
    const { stderr } = await run('gpg', ['--homedir', key.home, '--verify', ...paths]);
    expect(stderr).toContain('Good signature from "Visitor Counter releases"');
  }
});

test('signs with each of several keys, and refuses a key that the keyring does not have', async () => {
  const next = 'The next key';
  const home = ['--homedir', key.home, '--batch'];
  await run('gpg', [...home, '--passphrase', '', '--quick-generate-key', next, 'ed25519', 'sign', 'never']);
  const signer = openSigner({ ...key, names: [...key.names, next] }, time);
  await writeFile(join(folder, 'text.asc'), signer.detached('text'));
  await writeFile(join(folder, 'text'), 'text');
  const verified = await run('gpg', [...home, '--verify', join(folder, 'text.asc'), join(folder, 'text')]);
  expect(verified.stderr.match(/Good signature/g)).toHaveLength(2);
  expect(() => openSigner({ ...key, names: ['nobody'] }, time)).toThrow(/--key is "nobody"/);
});
