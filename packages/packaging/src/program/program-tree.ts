import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { TreeFile } from '../deb/build-deb.ts';
import { type LicensedPackage, licenceOf, licenceTexts } from '../dependencies/licence-of.ts';
import { type ProgramName, shippedPackages } from '../dependencies/shipped.ts';
import { type RuntimeFiles, runtimes } from './runtimes.ts';

/**
 * One of our programs with its Node, in a folder that is named after its content and the build.
 *
 * Invariant: at each moment of an upgrade a launcher starts a complete program. The files of each build are in a folder of
 * their own; dpkg replaces files in the order of the package, the launchers last, and only then removes the old folder. So a
 * power cut at any moment leaves the old or the new version.
 */
export function inOwnFolder(
  root: string,
  runtime: RuntimeFiles,
  files: readonly TreeFile[],
  build: string,
): { readonly folder: string; readonly files: TreeFile[] } {
  const all = [{ path: '/node', content: runtime.program, mode: 0o755 }, ...files];
  const hash = createHash('sha256').update(build).update('\0');
  for (const { path, content = '' } of all) hash.update(path).update('\0').update(content);
  const folder = `${root}/${hash.digest('hex').slice(0, 12)}`;
  return { folder, files: all.map((file) => ({ ...file, path: `${folder}${file.path}` })) };
}

/** The documents that Debian requires of a package with these programs, in /usr/share/doc. */
export async function documents(
  name: string,
  runtime: RuntimeFiles,
  programs: readonly ProgramName[],
  changelog: string,
): Promise<TreeFile[]> {
  const folder = `/usr/share/doc/${name}`;
  return [
    { path: `${folder}/copyright`, content: await copyright(programs, runtime) },
    { path: `${folder}/changelog.gz`, content: packed(changelog) },
  ];
}

/** The licences of these programs, and of all works of others in them; of their Node where it is given. */
export async function copyright(programs: readonly ProgramName[], runtime?: RuntimeFiles): Promise<string> {
  const own = await textOf('../../../../LICENSE');
  const others = licenceTexts(await licencesWith(await shippedPackages(programs), runtime));
  return `${own}\nThis package contains works of others, under the licences below.\n\n${others}`;
}

/** The licences of Node, of what the bundler adds to programs, and of the packages that the programs need. */
export async function licencesWith(
  packages: readonly LicensedPackage[],
  runtime?: RuntimeFiles,
): Promise<readonly LicensedPackage[]> {
  const node = { name: 'node', version: runtimes.arm64.version, licence: 'MIT' };
  const bundler = await licenceOf(dirname(dirname(fileURLToPath(import.meta.resolve('rolldown')))));
  return [...(runtime ? [{ ...node, text: runtime.licence }] : []), bundler, ...packages];
}

/**
 * How Node runs every program: it opens no debugger on SIGUSR1, through which other processes of the user could run code in
 * the program.
 */
export const safeNode = ['--disable-sigusr1'] as const;

/** The text of a launcher, which runs the Node in the folder of the program. */
export function inLauncher(text: string, folder: string, options: readonly string[] = safeNode): string {
  const node = [`${folder}/node`, ...options].join(' ');
  return text.replaceAll('@NODE@', node).replaceAll('@PROGRAM@', folder);
}

/** What installed programs and their documentation say instead of the commands of a checkout. */
const installedCommands = [
  ['npx pnpm admin', 'visitor-counter'],
  ['npx pnpm serve', '/usr/lib/visitor-counter/server'],
  ['npx pnpm build', 'apt install --reinstall visitor-counter'],
] as const;

/** A text of an installed package, which names the commands of the package. */
export function asInstalled(text: string): string {
  return installedCommands.reduce((left, [own, installed]) => left.replaceAll(own, installed), text);
}

export function packed(text: string): Buffer {
  return gzipSync(text, { level: 9 });
}

/** A file of the folder `files`. */
export function fileOf(name: string): Promise<string> {
  return textOf(`../../files/${name}`);
}

/** A file of the folder `files`, as it is installed at `path`. */
export async function fileAt(name: string, path: string): Promise<TreeFile> {
  return { path, content: await fileOf(name) };
}

function textOf(path: string): Promise<string> {
  return readFile(new URL(path, import.meta.url), 'utf8');
}
