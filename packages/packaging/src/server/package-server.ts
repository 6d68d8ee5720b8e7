import { readdir, readFile } from 'node:fs/promises';
import type { TreeFile } from '../deb/build-deb.ts';
import { documents, fileAt, fileOf, inOwnFolder, packed } from '../program/program-tree.ts';
import type { RuntimeFiles } from '../program/runtimes.ts';
import { type BuiltPackage, type PackageOptions, writePackage } from '../program/write-package.ts';
import { bundleServer } from './bundle-server.ts';

const name = 'visitor-counter';

/** Builds the server's package. The same commit gives the same bytes. */
export async function packageServer(options: PackageOptions): Promise<BuiltPackage> {
  const controlFiles = {
    conffiles: '/etc/visitor-counter/server.env\n',
    triggers: await fileOf('server/triggers'),
  };
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
  ];
  return [
    ...program.files,
    ...(await Promise.all(
      systemd.map((unit) => fileAt(`server/${unit}`, `/usr/lib/systemd/system/${unit}`)),
    )),
    ...(await monitoring()),
    await fileAt('server/visitor-counter.sysusers', '/usr/lib/sysusers.d/visitor-counter.conf'),
    /* It may contain a password, so it is never readable for everyone. */
    { ...(await fileAt('server/server.env', '/etc/visitor-counter/server.env')), mode: 0o640 },
    {
      path: '/usr/share/man/man1/visitor-counter.1.gz',
      content: packed(await fileOf('server/visitor-counter.1')),
    },
    { path: `/usr/share/doc/${name}/configuration.md.gz`, content: packed(await configuration()) },
    { ...(await fileAt('server/certbot-hook', '/usr/lib/visitor-counter/certbot-hook')), mode: 0o755 },
    ...(await documents(name, runtime, ['server', 'admin', 'page'], changelog)),
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
      content: await readFile(new URL(name, folder)),
    })),
  );
}

function configuration(): Promise<string> {
  return readFile(new URL('../../../../docs/configuration.md', import.meta.url), 'utf8');
}

async function launcher(file: string, path: string, program: string): Promise<TreeFile> {
  const text = await fileOf(`server/${file}`);
  return { path, content: text.replaceAll('@PROGRAM@', program), mode: 0o755, isLast: true };
}
