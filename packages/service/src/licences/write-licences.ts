import { lstat, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type LicensedPackage, licenceOf, licenceTexts } from './licence-of.ts';

/* Writes the licence texts of Node and of every package that is installed here: node write-licences.ts <file>. */

const [to] = process.argv.slice(2);
if (to === undefined) throw new Error('expected the file to write');
const packages = await installed(join(process.cwd(), 'node_modules/.pnpm'));
const node = await nodeLicence();
await mkdir(dirname(to), { recursive: true });
await writeFile(to, licenceTexts([...packages, ...node]));

/** In a folder of pnpm's store, real folders are packages, and links are their dependencies. */
async function installed(store: string): Promise<LicensedPackage[]> {
  const found: LicensedPackage[] = [];
  for (const entry of await readdir(store)) {
    const modules = join(store, entry, 'node_modules');
    for (const name of await namesIn(modules)) {
      const folder = join(modules, name);
      if ((await lstat(folder)).isDirectory()) found.push(await licenceOf(folder));
    }
  }
  return found;
}

async function namesIn(modules: string): Promise<string[]> {
  const names: string[] = [];
  for (const name of await readdir(modules).catch(() => [])) {
    if (name.startsWith('@'))
      for (const part of await readdir(join(modules, name))) names.push(`${name}/${part}`);
    else if (!name.startsWith('.')) names.push(name);
  }
  return names;
}

/** The licence of the running Node is in the folder of its unpacked archive. */
async function nodeLicence(): Promise<LicensedPackage[]> {
  const prefix = join(dirname(process.execPath), '..');
  const text = await readFile(join(prefix, 'LICENSE'), 'utf8');
  return [{ name: 'node', version: process.versions.node, licence: 'MIT', text }];
}
