import { readdir, readFile } from 'node:fs/promises';
import type { TreeFile } from '../deb/build-deb.ts';
import {
  asInstalled,
  documents,
  fileAt,
  fileOf,
  inLauncher,
  inOwnFolder,
  packed,
} from '../program/program-tree.ts';
import type { RuntimeFiles } from '../program/runtimes.ts';
import { type BuiltPackage, type PackageOptions, writePackage } from '../program/write-package.ts';
import { bundleServer } from './bundle-server.ts';

const name = 'visitor-counter';

/** Builds the server's package. The same commit gives the same bytes. */
export async function packageServer(options: PackageOptions): Promise<BuiltPackage> {
  const controlFiles = { triggers: await fileOf('server/triggers') };
  return writePackage({ name, control, controlFiles, scripts: 'server', tree: serverTree }, options);
}

const control = {
  Depends:
    'init-system-helpers (>= 1.54), libc6 (>= 2.28), libgcc-s1, libstdc++6, postgresql-client, systemd (>= 252)',
  Recommends: 'ca-certificates, postgresql (>= 15), systemd-timesyncd | time-daemon',
  Suggests: 'certbot',
  Description:
    'visitor counter for shops: the server of the counter units\n Receives crossings from the units over MQTT, stores them in PostgreSQL, and\n serves the numbers of people to stores, integrators and operators.',
};

/** All files that the package installs, with its Node. */
async function serverTree(runtime: RuntimeFiles, changelog: string): Promise<TreeFile[]> {
  const program = inOwnFolder('/usr/lib/visitor-counter', runtime, await bundleServer(), changelog);
  const systemd = [
    'visitor-counter.service',
    'visitor-counter-backup.service',
    'visitor-counter-backup.timer',
    'visitor-counter-backup-failed.service',
  ];
  return [
    ...program.files,
    ...(await Promise.all(
      systemd.map((unit) => fileAt(`server/${unit}`, `/usr/lib/systemd/system/${unit}`)),
    )),
    ...(await monitoring()),
    await fileAt('server/visitor-counter.sysusers', '/usr/lib/sysusers.d/visitor-counter.conf'),
    /* Without settings of the administrator this becomes /etc/visitor-counter/server.env. */
    await fileAt('server/server.env', '/usr/share/visitor-counter/server.env'),
    {
      path: '/usr/share/man/man1/visitor-counter.1.gz',
      content: packed(await fileOf('server/visitor-counter.1')),
    },
    {
      path: `/usr/share/doc/${name}/configuration.md.gz`,
      content: packed(asInstalled(await configuration())),
    },
    await executable('certbot-hook'),
    await executable('report-failed-backup'),
    ...(await documents(name, runtime, ['server', 'admin', 'dashboard'], changelog)),
    await fileAt('server/lintian-overrides', `/usr/share/lintian/overrides/${name}`),
    await launcher('server.sh', '/usr/lib/visitor-counter/server', program.folder),
    await launcher('visitor-counter.sh', '/usr/bin/visitor-counter', program.folder),
    await launcher('setup-database', '/usr/lib/visitor-counter/setup-database', program.folder),
  ];
}

/** The rules and the dashboard of the runbook. */
async function monitoring(): Promise<TreeFile[]> {
  const folder = new URL('../../../server/monitoring/', import.meta.url);
  const names = (await readdir(folder)).sort();
  return Promise.all(
    names.map(async (name) => ({
      path: `/usr/share/visitor-counter/monitoring/${name}`,
      content: asInstalled(await readFile(new URL(name, folder), 'utf8')),
    })),
  );
}

function configuration(): Promise<string> {
  return readFile(new URL('../../../../docs/configuration.md', import.meta.url), 'utf8');
}

/** A script of the folder `files/server`, in the folder of the package. */
async function executable(name: string): Promise<TreeFile> {
  return { ...(await fileAt(`server/${name}`, `/usr/lib/visitor-counter/${name}`)), mode: 0o755 };
}

async function launcher(file: string, path: string, program: string): Promise<TreeFile> {
  const text = await fileOf(`server/${file}`);
  return { path, content: inLauncher(text, program), mode: 0o755, isLast: true };
}
