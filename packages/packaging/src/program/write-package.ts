import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import product from '../../../../package.json' with { type: 'json' };
import { buildDeb, type TreeFile } from '../deb/build-deb.ts';
import type { ProgramName } from '../dependencies/shipped.ts';
import { commitTime } from './commit.ts';
import { copyright, inOwnFolder, packagedFiles } from './program-tree.ts';
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

/** The differences between the Debian packages of this product, in addition to their folders in `files`. */
interface ProgramPackage {
  /** Also that of its folder in `files`. */
  readonly name: string;
  /** Those whose licences it contains. */
  readonly programs: readonly ProgramName[];
  /** The files of the programs, in one folder. */
  readonly bundle: () => Promise<readonly TreeFile[]>;
  /** The options of Node. */
  readonly nodeOptions: readonly string[];
  /** Files that this repository has elsewhere. */
  readonly others: () => Promise<readonly TreeFile[]>;
}

/**
 * How Node runs every program: it opens no debugger on SIGUSR1, through which other processes of the user could run code in
 * the program.
 */
export const safeNode = ['--disable-sigusr1'] as const;

/** One build of a package. */
interface Build {
  readonly architecture: Architecture;
  readonly version: string;
  /** Epoch seconds. */
  readonly time: number;
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
  const { name } = content;
  const time = await commitTime();
  onStep(`getting Node for ${architecture}`);
  const runtime = await fetchRuntime(architecture);
  onStep('bundling the program');
  const files = await packageFiles(content, runtime, { architecture, version, time });
  onStep('compressing the package: about a minute');
  const deb = await buildDeb({ files, time });
  await mkdir(out, { recursive: true });
  const path = join(out, `${name}_${version}_${architecture}.deb`);
  await writeFile(path, deb);
  return { path, name, architecture };
}

/** All files of a package, with its Node. */
export async function packageFiles(
  { name, programs, bundle, nodeOptions, others }: ProgramPackage,
  runtime: RuntimeFiles,
  { architecture, version, time }: Build,
): Promise<TreeFile[]> {
  const program = inOwnFolder(`/usr/lib/${name}`, runtime, await bundle(), `${version} ${time}`);
  const values = {
    NODE: [`${program.folder}/node`, ...nodeOptions].join(' '),
    PROGRAM: program.folder,
    VERSION: version,
    ARCHITECTURE: architecture,
    DATE: new Date(time * 1_000).toUTCString().replace('GMT', '+0000'),
  };
  return [
    ...program.files,
    ...(await packagedFiles(name, values)),
    ...(await others()),
    { path: `/usr/share/doc/${name}/copyright`, content: await copyright(programs, runtime) },
  ];
}
