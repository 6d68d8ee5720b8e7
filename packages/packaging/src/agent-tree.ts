import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { type LicensedPackage, licenceTexts } from '@visitor-counter/service/licences/licence-of';
import { bundleWithLicences } from './bundle-agent.ts';
import type { TreeFile } from './deb/tar-archive.ts';
import type { RuntimeFiles } from './fetch-runtime.ts';
import { leanNode } from './lean-node.ts';
import { runtimes } from './runtimes.ts';

const program = '/usr/lib/counter-agent';

/** Everything that the package puts on a unit, given its Node. */
export async function agentTree(runtime: RuntimeFiles, changelog: string): Promise<TreeFile[]> {
  const doc = '/usr/share/doc/counter-agent';
  const share = '/usr/share/counter-agent';
  const license = await textOf('../../../LICENSE');
  const { files, packages } = await bundleWithLicences(program);
  return [
    { path: `${program}/node`, content: runtime.program, mode: 0o755 },
    ...files,
    { path: '/usr/bin/counter-agent', content: await launcher(), mode: 0o755 },
    await placed('counter-agent.service', '/usr/lib/systemd/system/counter-agent.service'),
    await placed('counter-enrol.service', '/usr/lib/systemd/system/counter-enrol.service'),
    await placed('60-counter-gpio.rules', '/usr/lib/udev/rules.d/60-counter-gpio.rules'),
    await placed('counter-agent.sysusers', '/usr/lib/sysusers.d/counter-agent.conf'),
    await placed('watchdog.conf', '/usr/lib/systemd/system.conf.d/60-counter-agent.conf'),
    await placed('journald.conf', '/usr/lib/systemd/journald.conf.d/60-counter-agent.conf'),
    // systemd sets a clock that is behind the time of this file to it: certificates are then valid already.
    { path: '/usr/lib/clock-epoch', content: '' },
    { path: `${share}/unit.schema.json`, content: await textOf('../../agent/agent-config.schema.json') },
    { path: '/usr/share/man/man1/counter-agent.1.gz', content: packed(await fileOf('counter-agent.1')) },
    { path: `${doc}/copyright`, content: copyright(license, runtime.licence, packages) },
    { path: `${doc}/changelog.gz`, content: packed(changelog) },
    await placed('lintian-overrides', '/usr/share/lintian/overrides/counter-agent'),
  ];
}

/** The licences of this program, of Node, and of every package in the bundle. */
function copyright(own: string, node: string, packages: readonly LicensedPackage[]): string {
  const others = [{ name: 'node', version: runtimes.arm64.version, licence: 'MIT', text: node }, ...packages];
  return `${own}\nThis package contains works of others, under the licences below.\n\n${licenceTexts(others)}`;
}

function packed(text: string): Buffer {
  return gzipSync(text, { level: 9 });
}

async function launcher(): Promise<string> {
  return (await fileOf('counter-agent.sh')).replace('@LEAN_NODE@', leanNode.join(' '));
}

/** A file of the folder `files`. */
export function fileOf(name: string): Promise<string> {
  return textOf(`../files/${name}`);
}

async function placed(name: string, path: string): Promise<TreeFile> {
  return { path, content: await fileOf(name) };
}

function textOf(path: string): Promise<string> {
  return readFile(new URL(path, import.meta.url), 'utf8');
}
