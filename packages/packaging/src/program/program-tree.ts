import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { TreeFile } from '../deb/build-deb.ts';
import { type LicensedPackage, licenceOf, licenceTexts } from '../dependencies/licence-of.ts';
import { type ProgramName, shippedPackages } from '../dependencies/shipped.ts';
import { filesBelow } from './files-below.ts';
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
  for (const { path, content } of all) hash.update(path).update('\0').update(content);
  const folder = `${root}/${hash.digest('hex').slice(0, 12)}`;
  return { folder, files: all.map((file) => ({ ...file, path: `${folder}${file.path}` })) };
}

/**
 * The files of a package that are in the folder `files`, laid out as dpkg-deb reads them, with these values instead of names
 * such as `@VERSION@`. Scripts are executable; those that start the program are launchers, which are last.
 */
export async function packagedFiles(
  name: string,
  values: Readonly<Record<string, string>>,
): Promise<TreeFile[]> {
  const files = await filesBelow(fileURLToPath(new URL(`../../files/${name}`, import.meta.url)));
  return files.map(({ path, content }) => {
    const template = content.toString();
    const text = filled(template, values);
    if (/^\/usr\/share\/(man|doc)\//.test(path)) return compressed(path, text);
    const mode = text.startsWith('#!') ? 0o755 : 0o644;
    return { path, content: text, mode, isLast: template.includes('@PROGRAM@') };
  });
}

/** A text with these values instead of names such as `@VERSION@`. */
export function filled(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/@([A-Z]+)@/g, (whole, name) => values[name] ?? whole);
}

/** A document, as Debian installs it. */
export function compressed(path: string, text: string): TreeFile {
  return { path: `${path}.gz`, content: gzipSync(text, { level: 9 }) };
}

/** The licences of these programs, and of all works of others in them; of their Node where it is given. */
export async function copyright(programs: readonly ProgramName[], runtime?: RuntimeFiles): Promise<string> {
  const own = await readFile(new URL('../../../../LICENSE', import.meta.url), 'utf8');
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
