import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { version as agentVersion } from '@visitor-counter/agent/machine/machine-state';
import { type LicensedPackage, licenceTexts } from '@visitor-counter/service/licences/licence-of';
import { buildDeb, type TreeFile } from '../deb/build-deb.ts';
import { bundleAgent, leanNode } from './bundle-agent.ts';
import { type Architecture, fetchRuntime, type RuntimeFiles, runtimes } from './runtimes.ts';

const run = promisify(execFile);

export interface PackageOptions {
  readonly architecture: Architecture;
  /** The folder that the package is written to. */
  readonly out: string;
  /** The package's version; the agent's when left out. */
  readonly version?: string;
  /** Called with each step: the whole takes about a minute. */
  readonly onStep?: (step: string) => void;
}

/** Builds the agent's package and returns its path. The same commit gives the same bytes. */
export async function packageAgent({
  architecture,
  out,
  version = agentVersion,
  onStep = () => {},
}: PackageOptions): Promise<string> {
  const time = await commitTime();
  onStep(`getting Node for ${architecture}`);
  const runtime = await fetchRuntime(architecture);
  onStep('bundling the agent');
  const files = await agentTree(runtime, changelog(version, time));
  onStep('compressing the package: about a minute');
  const scripts = {
    postinst: await fileOf('postinst'),
    prerm: await fileOf('prerm'),
    postrm: await fileOf('postrm'),
  };
  const deb = await buildDeb({ control: control(architecture, version), scripts, files, time });
  await mkdir(out, { recursive: true });
  const path = join(out, `counter-agent_${version}_${architecture}.deb`);
  await writeFile(path, deb);
  return path;
}

function control(architecture: Architecture, version: string): Record<string, string> {
  return {
    Package: 'counter-agent',
    Version: version,
    Architecture: architecture,
    Maintainer: maintainer,
    Section: 'misc',
    Priority: 'optional',
    Depends:
      'gpiod, init-system-helpers (>= 1.54), libc6 (>= 2.28), libgcc-s1, libstdc++6, systemd (>= 252), udev',
    Recommends: 'ca-certificates, systemd-timesyncd | time-daemon',
    Description:
      'visitor counter for a door with light beams\n Counts people who walk through two light beams, keeps every crossing in a\n journal on its own disk, and delivers it to a server.',
  };
}

const maintainer = 'Visitor Counter <maintainers@visitor-counter.invalid>';

function changelog(version: string, time: number): string {
  const date = new Date(time * 1_000).toUTCString().replace('GMT', '+0000');
  return `counter-agent (${version}) stable; urgency=medium\n\n  * Built from the repository.\n\n -- ${maintainer}  ${date}\n`;
}

/** When the source was committed (epoch seconds): SOURCE_DATE_EPOCH if set, else from git. */
async function commitTime(): Promise<number> {
  const given = process.env['SOURCE_DATE_EPOCH'];
  if (given !== undefined) return Number(given);
  const { stdout } = await run('git', ['log', '-1', '--format=%ct'], { cwd: import.meta.dirname });
  return Number(stdout);
}

/**
 * All files that the package installs on a unit, with its Node.
 *
 * Invariant: at each moment of an upgrade the launcher starts a complete program. The files of each build are in a folder
 * of their own, dpkg replaces files in the order of the package, with the launcher as the last, and only then removes
 * the old folder. So a power cut at any moment leaves the old or the new version.
 */
export async function agentTree(runtime: RuntimeFiles, changelog: string): Promise<TreeFile[]> {
  const doc = '/usr/share/doc/counter-agent';
  const share = '/usr/share/counter-agent';
  const license = await textOf('../../../../LICENSE');
  const { files, packages } = await bundleAgent('');
  const program = inOwnFolder(
    [{ path: '/node', content: runtime.program, mode: 0o755 }, ...files],
    changelog,
  );
  return [
    ...program.files,
    await fileAt('counter-agent.service', '/usr/lib/systemd/system/counter-agent.service'),
    await fileAt('counter-enrol.service', '/usr/lib/systemd/system/counter-enrol.service'),
    await fileAt('60-counter-gpio.rules', '/usr/lib/udev/rules.d/60-counter-gpio.rules'),
    await fileAt('counter-agent.sysusers', '/usr/lib/sysusers.d/counter-agent.conf'),
    await fileAt('watchdog.conf', '/usr/lib/systemd/system.conf.d/60-counter-agent.conf'),
    await fileAt('journald.conf', '/usr/lib/systemd/journald@counter-agent.conf.d/60-counter-agent.conf'),
    // systemd sets the clock to the time of this file if it is earlier, so certificates are valid.
    { path: '/usr/lib/clock-epoch', content: '' },
    { path: `${share}/unit.schema.json`, content: await textOf('../../../agent/agent-config.schema.json') },
    { path: '/usr/share/man/man1/counter-agent.1.gz', content: packed(await fileOf('counter-agent.1')) },
    { path: `${doc}/copyright`, content: copyright(license, runtime.licence, packages) },
    { path: `${doc}/changelog.gz`, content: packed(changelog) },
    await fileAt('lintian-overrides', '/usr/share/lintian/overrides/counter-agent'),
    { path: '/usr/bin/counter-agent', content: await launcher(program.folder), mode: 0o755, isLast: true },
  ];
}

/** The licences of this program, of Node, and of every package in the bundle. */
function copyright(own: string, node: string, packages: readonly LicensedPackage[]): string {
  const others = [{ name: 'node', version: runtimes.arm64.version, licence: 'MIT', text: node }, ...packages];
  return `${own}\nThis package contains works of others, under the licences below.\n\n${licenceTexts(others)}`;
}

/** Node and the bundle, in a folder that is named after their content and the build. */
function inOwnFolder(files: readonly TreeFile[], build: string): { folder: string; files: TreeFile[] } {
  const hash = createHash('sha256').update(build).update('\0');
  for (const { path, content = '' } of files) hash.update(path).update('\0').update(content);
  const folder = `/usr/lib/counter-agent/${hash.digest('hex').slice(0, 12)}`;
  return { folder, files: files.map((file) => ({ ...file, path: `${folder}${file.path}` })) };
}

function packed(text: string): Buffer {
  return gzipSync(text, { level: 9 });
}

async function launcher(program: string): Promise<string> {
  const text = await fileOf('counter-agent.sh');
  return text.replace('@LEAN_NODE@', leanNode.join(' ')).replaceAll('@PROGRAM@', program);
}

/** A file of the folder `files`. */
export function fileOf(name: string): Promise<string> {
  return textOf(`../../files/${name}`);
}

async function fileAt(name: string, path: string): Promise<TreeFile> {
  return { path, content: await fileOf(name) };
}

function textOf(path: string): Promise<string> {
  return readFile(new URL(path, import.meta.url), 'utf8');
}
