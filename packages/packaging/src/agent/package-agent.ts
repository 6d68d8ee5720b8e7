import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { TreeFile } from '../deb/build-deb.ts';
import { bundle } from '../program/bundle.ts';
import {
  documents,
  fileAt,
  fileOf,
  inLauncher,
  inOwnFolder,
  packed,
  safeNode,
} from '../program/program-tree.ts';
import type { RuntimeFiles } from '../program/runtimes.ts';
import { type BuiltPackage, type PackageOptions, writePackage } from '../program/write-package.ts';

/** Builds the agent's package. The same commit gives the same bytes. */
export async function packageAgent(options: PackageOptions): Promise<BuiltPackage> {
  const content = { name: 'counter-agent', control, controlFiles, scripts: '.', tree: agentTree };
  return writePackage(content, options);
}

const control = {
  Depends:
    'gpiod, init-system-helpers (>= 1.54), libc6 (>= 2.28), libgcc-s1, libstdc++6, openssl, systemd (>= 252), udev',
  Recommends: 'ca-certificates, systemd-timesyncd | time-daemon, unattended-upgrades',
  Description:
    'visitor counter for a door with light beams\n Counts people who walk through two light beams, keeps every crossing in a\n journal on its own disk, and delivers it to a server.',
};

/** Debian security updates; after 50unattended-upgrades, whose origins it replaces. */
const aptConf = '/etc/apt/apt.conf.d/51counter-agent';
const controlFiles = { conffiles: `${aptConf}\n` };

const schema = new URL('../../../agent/agent-config.schema.json', import.meta.url);

/** All files that the package installs on a unit, with its Node. */
export async function agentTree(runtime: RuntimeFiles, changelog: string): Promise<TreeFile[]> {
  const program = inOwnFolder('/usr/lib/counter-agent', runtime, await bundleAgent(), changelog);
  return [
    ...program.files,
    await fileAt('counter-agent.service', '/usr/lib/systemd/system/counter-agent.service'),
    await fileAt('counter-enrol.service', '/usr/lib/systemd/system/counter-enrol.service'),
    await fileAt('counter-update.service', '/usr/lib/systemd/system/counter-update.service'),
    await fileAt('counter-update.path', '/usr/lib/systemd/system/counter-update.path'),
    { ...(await fileAt('counter-update', '/usr/libexec/counter-update')), mode: 0o755 },
    await fileAt('apt.conf', aptConf),
    await fileAt('60-counter-gpio.rules', '/usr/lib/udev/rules.d/60-counter-gpio.rules'),
    await fileAt('counter-agent.sysusers', '/usr/lib/sysusers.d/counter-agent.conf'),
    await fileAt('watchdog.conf', '/usr/lib/systemd/system.conf.d/60-counter-agent.conf'),
    await fileAt('journald.conf', '/usr/lib/systemd/journald@counter-agent.conf.d/60-counter-agent.conf'),
    /* systemd sets the clock to the time of this file if it is earlier, so certificates are valid. */
    { path: '/usr/lib/clock-epoch', content: '' },
    { path: '/usr/share/counter-agent/unit.schema.json', content: await readFile(schema) },
    { path: '/usr/share/man/man1/counter-agent.1.gz', content: packed(await fileOf('counter-agent.1')) },
    ...(await documents('counter-agent', runtime, ['agent'], changelog)),
    await fileAt('lintian-overrides', '/usr/share/lintian/overrides/counter-agent'),
    { path: '/usr/bin/counter-agent', content: await launcher(program.folder), mode: 0o755, isLast: true },
  ];
}

async function launcher(program: string): Promise<string> {
  const text = await fileOf('counter-agent.sh');
  return inLauncher(text, program, leanNode);
}

/**
 * The agent as one program without dependencies. Modules that only some commands need are separate files, so a counting
 * unit does not load them.
 */
export async function bundleAgent(options?: { readonly minify?: boolean }): Promise<TreeFile[]> {
  const input = { agent: fileURLToPath(import.meta.resolve('@visitor-counter/agent/main')) };
  return (await bundle(input, options)).files;
}

/**
 * How Node runs the agent: a small unit's memory matters more than its speed. A small young generation, no
 * compiled code, and no start from a snapshot, whose pages stay in memory.
 */
export const leanNode = [
  ...safeNode,
  '--max-semi-space-size=1',
  '--lite-mode',
  '--no-node-snapshot',
] as const;
