import { execFile } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream';
import { promisify } from 'node:util';
import type { BuiltPackage } from '@visitor-counter/packaging/program/write-package';
import { buildRepository } from '@visitor-counter/packaging/repository/build-repository';
import { openSigner } from '@visitor-counter/packaging/repository/signer';
import { makeSigningKey } from '@visitor-counter/test/signing-key';
import { onTestFinished } from 'vitest';

const run = promisify(execFile);

/** Replaces text in one file of a package. */
export interface Defect {
  readonly file: string;
  readonly change: (text: string) => string;
}

const launcher = '/usr/bin/counter-agent';
const service = '/usr/lib/systemd/system/counter-agent.service';
const beforeRun = (lines: string) => (text: string) =>
  text.replace(/^exec /m, `if [ "$1" = run ]; then ${lines}; fi\nexec `);
const running =
  (prefix: string, option = '') =>
  (text: string) =>
    text.replace(/^exec (\S+) (.*)$/m, (line, node, rest) => {
      return `if [ "$1" = run ]; then exec ${prefix} ${node} ${option} ${rest}; fi\n${line}`;
    });

/** What can be wrong with a release. */
export const defects: Readonly<Record<string, Defect>> = {
  'crashes at its start': { file: launcher, change: beforeRun('exit 1') },
  'crashes after a while': { file: launcher, change: running('timeout -s KILL 25') },
  hangs: {
    file: launcher,
    change: running('', `--import 'data:text/javascript,setTimeout(()=>{for(;;);},10000)'`),
  },
  'cannot read the beams': { file: service, change: (text) => text.replace(/^DeviceAllow=.*$/m, '') },
  'never connects': {
    file: service,
    change: (text) =>
      text.replace(/^RestrictAddressFamilies=.*$/m, 'RestrictAddressFamilies=AF_UNIX AF_NETLINK'),
  },
  'fills the disk': {
    file: launcher,
    change: beforeRun('cat /dev/zero > /var/lib/counter-agent/junk 2> /dev/null'),
  },
};

/** Makes a package of a version from another one, with a defect if one is given; returns its path. */
export async function variantOf(deb: string, version: string, defect?: Defect): Promise<string> {
  const folder = join(deb, '..', version);
  await run('dpkg-deb', ['-R', deb, folder]);
  const control = join(folder, 'DEBIAN/control');
  const text = await readFile(control, 'utf8');
  await writeFile(control, text.replace(/^Version: .*$/m, `Version: ${version}`));
  if (defect) {
    const file = join(folder, defect.file);
    const changed = defect.change(await readFile(file, 'utf8'));
    await writeFile(file, changed);
  }
  const path = deb.replace(/_[^_]+_/, `_${version}_`);
  await run('dpkg-deb', ['--root-owner-group', '-Zzstd', '-z1', '-b', folder, path]);
  await rm(folder, { recursive: true });
  return path;
}

/** Serves packages as a release's repository until the test ends; returns the shell lines that add it to a unit. */
export async function serveRepository(folder: string, debs: readonly string[]): Promise<string> {
  const signer = openSigner(makeSigningKey(), time);
  const packages = debs.map(built);
  await mkdir(folder, { recursive: true });
  await buildRepository({ out: folder, packages, version: '9', time, signer });
  const server = createServer(({ url = '' }, response) => {
    const file = createReadStream(join(folder, decodeURIComponent(new URL(url, 'http://host').pathname)));
    file.once('error', () => response.writeHead(404).end());
    file.once('open', () => pipeline(file, response, () => {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port }: AddressInfo = server.address() as AddressInfo;
  await writeFile(join(folder, '../visitor-counter.asc'), signer.publicKey);
  const key = '/etc/apt/keyrings/visitor-counter.asc';
  return `install -D -m 644 /host/visitor-counter.asc ${key}; rm -f /etc/apt/sources.list
    echo 'deb [signed-by=${key}] http://10.0.2.2:${port} stable main' > /etc/apt/sources.list.d/visitor-counter.list`;
}

const time = Date.UTC(2026, 0, 2) / 1_000;

function built(path: string): BuiltPackage {
  const [name = '', , architecture = ''] = basename(path, '.deb').split('_');
  return { path, name, architecture };
}
