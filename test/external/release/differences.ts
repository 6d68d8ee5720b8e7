import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
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

/** Paths by name. The name has a `*` for each part that the builder derives from the content. */
async function filesOf(folder: string): Promise<Map<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = new Map<string, string>();
  for (const entry of entries.filter((each) => each.isFile())) {
    const path = join(entry.parentPath, entry.name);
    const name = relative(folder, path).replaceAll(digests, '*');
    files.set(files.has(name) ? `${name} ${entry.name}` : name, path);
  }
  return files;
}

const digests = /\b[0-9a-f]{64}\b|(?<=\/)[0-9a-f]{12}(?=\/)|(?<=-)[\w-]{8}(?=\.m?js|\.css|\.svg)/g;

async function compare(name: string, one?: string, other?: string): Promise<string[]> {
  if (one === undefined || other === undefined) return [`${name}: only in one of them`];
  const [content, otherContent] = [await readFile(one), await readFile(other)];
  if (content.equals(otherContent)) return [];
  const open = openers.find(({ names }) => names.test(one))?.open;
  if (!open) return [`${name}: ${place(content, otherContent)}`];
  const folder = await mkdtemp(join(tmpdir(), 'counter-differences-'));
  try {
    const [opened, otherOpened] = [join(folder, 'one'), join(folder, 'other')];
    await open(one, opened);
    await open(other, otherOpened);
    const inside = await differences(opened, otherOpened);
    return inside.length > 0 ? inside.map((line) => `${name}: ${line}`) : [`${name}: modes, order or times`];
  } finally {
    await rm(folder, { recursive: true });
  }
}

const openers = [
  { names: /\.deb$/, open: (path: string, to: string) => run('dpkg-deb', ['--raw-extract', path, to]) },
  {
    names: /\.tar(\.gz)?$/,
    open: (path: string, to: string) => run('sh', ['-c', 'mkdir "$1" && tar -xf "$0" -C "$1"', path, to]),
  },
] as const;

/** The first difference, with some text around it. */
function place(one: Buffer, other: Buffer): string {
  const at = one.findIndex((byte, index) => byte !== other[index]);
  const start = Math.max(0, (at < 0 ? one.length : at) - 40);
  const [text, otherText] = [one, other].map((content) => content.toString('latin1', start, start + 100));
  return `${JSON.stringify(text)} and ${JSON.stringify(otherText)}`;
}
