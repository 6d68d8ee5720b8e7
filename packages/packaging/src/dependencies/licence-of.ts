import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A third-party package, and its licence texts. */
export interface LicensedPackage {
  readonly name: string;
  readonly version: string;
  /** The licence that its manifest names, such as `MIT`. */
  readonly licence: string;
  readonly text: string;
}

/** Also that of a file which contains works of others, such as `bundle.js.LICENSE.txt`. */
const licenceFile = /^(licen[cs]e|copying|notice)|\.licen[cs]e\.txt$/i;

/**
 * The licence of the package in a folder: its own files, or, if it has none, the standard text of the licence
 * that its manifest names, with its author. Throws if there is neither.
 */
export async function licenceOf(folder: string): Promise<LicensedPackage> {
  const manifest: unknown = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const { name, version, license, author } = recordOf(manifest);
  const about = {
    name: String(name),
    version: String(version),
    licence: String(recordOf(license)['type'] ?? license),
  };
  const files = (await readdir(folder)).filter((file) => licenceFile.test(file)).sort();
  const own = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  const text =
    own.length > 0 ? [...new Set(own)].join('\n') : await standardText(about.licence, author, about.name);
  if (text === undefined) throw new Error(`${about.name} ${about.version}: ${about.licence}, without a text`);
  return { ...about, text: text.trim() };
}

/** One text of all packages, each once, by name. */
export function licenceTexts(packages: readonly LicensedPackage[]): string {
  const byName = new Map(packages.map((one) => [`${one.name} ${one.version}`, one]));
  const sorted = [...byName].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return sorted.map(([title, { licence, text }]) => `${rule}\n${title} (${licence})\n\n${text}\n`).join('\n');
}

const rule = '-'.repeat(78);

/** The text of a licence by its SPDX name, of which we have those that packages name without containing the text. */
async function standardText(licence: string, author: unknown, name: string): Promise<string | undefined> {
  const holder = typeof author === 'string' ? author : (recordOf(author)['name'] ?? `the authors of ${name}`);
  const [first = ''] = licence.split(' OR ');
  const text = await readFile(new URL(`../../files/licences/${first}`, import.meta.url), 'utf8').catch(
    () => '',
  );
  return text === '' ? undefined : text.replace('<holder>', String(holder));
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}
