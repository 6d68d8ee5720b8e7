import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * How two folders differ: a line for each file, with the place in it. Packages and archives are opened and the files in
 * them compared. Files that are derived from others, such as checksums, come last.
 */
export async function differences(one: string, other: string): Promise<string[]> {
  const [files, others] = [await filesOf(one), await filesOf(other)];
  const names = [...new Set([...files.keys(), ...others.keys()])].sort();
  const found: string[] = [];
  for (const name of names) found.push(...(await compare(name, files.get(name), others.get(name))));
  return found.toSorted((a, b) => Number(derived.test(a)) - Number(derived.test(b)));
}

/** Files that always differ if another file does. */
const derived = /by-hash|Packages|InRelease|Release|SHA256SUMS|md5sums|index\.json/;

/**
 * Paths by name. The name has a `*` for each part that the builder derives from the content; files of the same name are
 * numbered by their sizes.
 */
async function filesOf(folder: string): Promise<Map<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name));
  const sized = await Promise.all(paths.map(async (path) => ({ path, size: (await stat(path)).size })));
  const files = new Map<string, string>();
  for (const { path } of sized.toSorted((a, b) => a.size - b.size)) {
    const name = relative(folder, path).replaceAll(digests, '*');
    const number = [...files.keys()].filter((other) => other.replace(/ \d+$/, '') === name).length;
    files.set(number === 0 ? name : `${name} ${number + 1}`, path);
  }
  return files;
}

const digests = /\b[0-9a-f]{64}\b|(?<=\/)[0-9a-f]{12}(?=\/)|(?<=-)[\w-]{8}(?=\.m?js|\.css|\.svg)/g;

async function compare(name: string, one?: string, other?: string): Promise<string[]> {
  if (one === undefined || other === undefined) return [`${name}: only in one of them`];
  const [content, otherContent] = [await readFile(one), await readFile(other)];
  if (content.equals(otherContent)) return [];
  const begin = (at: number, length: number) => content.toString('latin1', at, at + length);
  const open = openers.find(({ begins, at }) => begin(at, begins.length) === begins)?.open;
  const here = [`${name}: ${place(content, otherContent)}`];
  if (!open) return here;
  const folder = await mkdtemp(join(tmpdir(), 'counter-differences-'));
  try {
    const [opened, otherOpened] = [join(folder, 'one'), join(folder, 'other')];
    try {
      await Promise.all([open(one, opened), open(other, otherOpened)]);
    } catch {
      return here; // compressed, and not an archive
    }
    const inside = await differences(opened, otherOpened);
    return inside.length > 0 ? inside.map((line) => `${name}: ${line}`) : [`${name}: modes, order or times`];
  } finally {
    await rm(folder, { recursive: true });
  }
}

const untar = (path: string, to: string) => run('sh', ['-c', 'mkdir "$1" && tar -xf "$0" -C "$1"', path, to]);

/** How files that begin like this at a position are opened. The only compressed files of a release are archives of tar. */
const openers = [
  {
    begins: '!<arch>\n',
    at: 0,
    open: (path: string, to: string) => run('dpkg-deb', ['--raw-extract', path, to]),
  },
  { begins: '\x1f\x8b', at: 0, open: untar },
  { begins: 'ustar', at: 257, open: untar },
] as const;

/** The first difference, with some text around it. */
function place(one: Buffer, other: Buffer): string {
  const at = one.findIndex((byte, index) => byte !== other[index]);
  const start = Math.max(0, (at < 0 ? one.length : at) - 40);
  const [text, otherText] = [one, other].map((content) => content.toString('latin1', start, start + 100));
  return `${JSON.stringify(text)} and ${JSON.stringify(otherText)}`;
}
