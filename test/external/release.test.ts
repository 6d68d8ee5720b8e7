import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { makeSigningKey } from '@visitor-counter/test/signing-key';
import { afterAll, beforeAll, expect, test } from 'vitest';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));

const key = makeSigningKey();
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'counter-release-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Builds a release of the last commit in a new checkout; returns its folder. */
async function release(name: string, umask: string, settings: NodeJS.ProcessEnv): Promise<string> {
  const checkout = join(folder, name);
  await run('git', ['clone', '-q', root, checkout]);
  await run('npx', ['pnpm', 'install', '--frozen-lockfile', '--prefer-offline'], { cwd: checkout });
  const command = `umask ${umask} && exec npx pnpm --silent release --arch amd64 --trial`;
  const env = { ...process.env, GNUPGHOME: key.home, ...settings };
  const { stdout } = await run('sh', ['-c', command], { cwd: checkout, env });
  return join(checkout, stdout.trim());
}

test('two builds of a commit are identical, in other folders and with other settings; gpg accepts the signature', {
  timeout: 900_000,
}, async () => {
  const usual = { TZ: 'UTC', LC_ALL: 'C.UTF-8', NODE_ENV: 'production' };
  const unusual = { TZ: 'Asia/Kolkata', LC_ALL: 'C', NODE_ENV: 'development' };
  const one = await release('one', '022', usual);
  const other = await release('another/and/deeper', '077', unusual);
  expect(await readdir(one, { recursive: true })).toEqual(
    expect.arrayContaining([
      'RELEASE-NOTES.md',
      'SHA256SUMS.asc',
      'THIRD-PARTY-LICENCES.txt',
      'apt/dists/stable/InRelease',
      expect.stringMatching(/^apt\/pool\/main\/c\/counter-agent\/counter-agent_.*_amd64\.deb$/),
      expect.stringMatching(/^apt\/pool\/main\/v\/visitor-counter\/visitor-counter_.*_amd64\.deb$/),
      expect.stringMatching(/^visitor-counter_.*\.cdx\.json$/),
    ]),
  );
  await run('diff', ['--recursive', '--brief', one, other]);
  expect(await readFile(join(one, 'THIRD-PARTY-LICENCES.txt'), 'utf8')).toMatch(/^rolldown .* \(MIT\)$/m);
  await run('sha256sum', ['--check', '--strict', '--quiet', 'SHA256SUMS'], { cwd: one });
  const gpg = [
    '--homedir',
    folder,
    '--no-default-keyring',
    '--keyring',
    join(folder, 'release.gpg'),
    '--batch',
  ];
  await run('gpg', [...gpg, '--import', join(one, 'apt/visitor-counter.asc')]);
  const verified = await run('gpg', [
    ...gpg,
    '--verify',
    join(one, 'SHA256SUMS.asc'),
    join(one, 'SHA256SUMS'),
  ]);
  expect(verified.stderr).toContain('Good signature from "Visitor Counter releases"');
});
