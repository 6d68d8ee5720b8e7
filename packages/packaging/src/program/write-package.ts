import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import product from '../../../../package.json' with { type: 'json' };
import { buildDeb, type DebContent } from '../deb/build-deb.ts';
import { commitTime } from './commit.ts';
import { fileOf } from './program-tree.ts';
import { type Architecture, fetchRuntime, type RuntimeFiles } from './runtimes.ts';

export interface PackageOptions {
  readonly architecture: Architecture;
  /** The folder that the package is written to. */
  readonly out: string;
  /** The package's version; that of the program when left out. */
  readonly version?: string;
  /** Called with each step; building takes about a minute. */
  readonly onStep?: (step: string) => void;
}

/** The differences between the Debian packages of this product. */
interface ProgramPackage {
  readonly name: string;
  /** Depends, Recommends and Description; see deb-control(5). */
  readonly control: Readonly<Record<string, string>>;
  readonly controlFiles?: DebContent['controlFiles'];
  /** The folder of its maintainer scripts, below `files`. */
  readonly scripts: string;
  /** All files that the package installs, with its Node; the changelog is one of them. */
  readonly tree: (runtime: RuntimeFiles, changelog: string) => Promise<DebContent['files']>;
}

/** A Debian package in a file. */
export interface BuiltPackage {
  readonly path: string;
  readonly name: string;
  /** As dpkg names it. */
  readonly architecture: string;
}

/** Builds a package. The same commit gives the same bytes. */
export async function writePackage(
  content: ProgramPackage,
  { architecture, out, version = product.version, onStep = () => {} }: PackageOptions,
): Promise<BuiltPackage> {
  const { name, controlFiles = {} } = content;
  const time = await commitTime();
  onStep(`getting Node for ${architecture}`);
  const runtime = await fetchRuntime(architecture);
  onStep('bundling the program');
  const files = await content.tree(runtime, changelog(name, version, time));
  onStep('compressing the package: about a minute');
  const control = {
    Package: name,
    Version: version,
    Architecture: architecture,
    Maintainer: maintainer,
    Section: 'misc',
    Priority: 'optional',
    ...content.control,
  };
  const scripts = {
    postinst: await fileOf(`${content.scripts}/postinst`),
    prerm: await fileOf(`${content.scripts}/prerm`),
    postrm: await fileOf(`${content.scripts}/postrm`),
  };
  const deb = await buildDeb({ control, controlFiles, scripts, files, time });
  await mkdir(out, { recursive: true });
  const path = join(out, `${name}_${version}_${architecture}.deb`);
  await writeFile(path, deb);
  return { path, name, architecture };
}

const maintainer = 'Visitor Counter <maintainers@visitor-counter.invalid>';

/** The changelog of a package, as Debian writes it. */
function changelog(name: string, version: string, time: number): string {
  const date = new Date(time * 1_000).toUTCString().replace('GMT', '+0000');
  return `${name} (${version}) stable; urgency=medium\n\n  * Built from the repository.\n\n -- ${maintainer}  ${date}\n`;
}
