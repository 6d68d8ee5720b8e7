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
    own.length > 0 ? [...new Set(own)].join('\n') : standardText(about.licence, author, about.name);
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

function standardText(licence: string, author: unknown, name: string): string | undefined {
  const holder = typeof author === 'string' ? author : (recordOf(author)['name'] ?? `the authors of ${name}`);
  return standardTexts[licence]?.replace('<holder>', String(holder));
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}

const mit = `Copyright (c) <holder>

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;

/**
 * The texts of licences by their SPDX names, for packages that name a licence but do not contain its text.
 */
const standardTexts: Readonly<Record<string, string>> = {
  MIT: mit,
  'MIT OR Apache-2.0': mit,
  ISC: `Copyright (c) <holder>

Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted,
provided that the above copyright notice and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH REGARD TO THIS SOFTWARE INCLUDING ALL
IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS, WHETHER IN AN
ACTION OF CONTRACT, NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.`,
};
