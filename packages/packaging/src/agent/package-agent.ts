import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { version as agentVersion } from '@visitor-counter/agent/machine/machine-state';
import { buildDeb } from '../deb/build-deb.ts';
import { agentTree, fileOf } from './agent-tree.ts';
import { fetchRuntime } from './fetch-runtime.ts';
import type { Architecture } from './runtimes.ts';

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
  const deb = await buildDeb({
    control: control(architecture, version),
    scripts,
    conffiles: [],
    files,
    time,
  });
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
