import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { installedPackages } from './installed-packages.ts';
import { type LicensedPackage, licenceOf, licenceTexts } from './licence-of.ts';

/* Writes the licence texts of Node and of every package that is installed here: node write-licences.ts <file>. */

const [to] = process.argv.slice(2);
if (to === undefined) throw new Error('expected the file to write');
const folders = await installedPackages(join(process.cwd(), 'node_modules/.pnpm'));
const packages = await Promise.all([...folders.values()].map(licenceOf));
const node = await nodeLicence();
await mkdir(dirname(to), { recursive: true });
await writeFile(to, licenceTexts([...packages, ...node]));

/** The licence of the running Node is in the folder of its unpacked archive. */
async function nodeLicence(): Promise<LicensedPackage[]> {
  const prefix = join(dirname(process.execPath), '..');
  const text = await readFile(join(prefix, 'LICENSE'), 'utf8');
  return [{ name: 'node', version: process.versions.node, licence: 'MIT', text }];
}
