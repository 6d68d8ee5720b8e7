import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { bundleAgent } from './bundle-agent.ts';
import type { TreeFile } from './deb/tar-archive.ts';
import { leanNode } from './lean-node.ts';

const program = '/usr/lib/counter-agent';

/** Everything that the package puts on a unit, given its Node. */
export async function agentTree(runtime: Buffer, changelog: string): Promise<TreeFile[]> {
  const doc = '/usr/share/doc/counter-agent';
  const share = '/usr/share/counter-agent';
  const license = await textOf('../../../LICENSE');
  return [
    { path: `${program}/node`, content: runtime, mode: 0o755 },
    ...(await bundleAgent(program)),
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
    { path: `${doc}/copyright`, content: license },
    { path: `${doc}/changelog.gz`, content: packed(changelog) },
    await placed('lintian-overrides', '/usr/share/lintian/overrides/counter-agent'),
  ];
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
