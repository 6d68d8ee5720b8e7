import { execFileSync } from 'node:child_process';
import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { codeOf } from '@visitor-counter/service/errors';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import manifest from '../../../../package.json' with { type: 'json' };
import { packageAgent } from '../agent/package-agent.ts';
import { writeCardArchive } from '../card/package-sd.ts';
import { type LicensedPackage, licenceTexts } from '../dependencies/licence-of.ts';
import { refuseLicences, shippedPackages } from '../dependencies/shipped.ts';
import { type Commit, readCommit, writeSource } from '../program/commit.ts';
import { licencesWith } from '../program/program-tree.ts';
import { type Architecture, fetchRuntime } from '../program/runtimes.ts';
import type { BuiltPackage } from '../program/write-package.ts';
import { buildRepository } from '../repository/build-repository.ts';
import { openSigner, type Signer, type SigningKeys } from '../repository/signer.ts';
import { packageServer } from '../server/package-server.ts';
import { billOfMaterials } from './bill-of-materials.ts';

interface ReleaseOptions {
  /** The folder of the release. An earlier release there is replaced; nothing else is. */
  readonly out: string;
  readonly architectures: readonly Architecture[];
  readonly keys: SigningKeys;
  /** The folder `pool` with packages of earlier versions, which the repository lists too: units may be ordered to have them. */
  readonly pool: string | undefined;
  /** Builds a checkout with changes that are not committed, and a version that is not released yet. */
  readonly isTrial: boolean;
  readonly onStep: (step: string) => void;
}

/** The parameters that the parts of a release share. */
interface Release extends ReleaseOptions {
  readonly version: string;
  readonly notes: string;
  readonly commit: Commit;
  readonly signer: Signer;
  readonly packages: readonly LicensedPackage[];
}

/**
 * Builds a release. The same commit and key give the same bytes. Everything is checked before anything is built, and the
 * folder appears complete or not at all. Throws ConfigurationError.
 */
export async function buildRelease(options: ReleaseOptions): Promise<void> {
  const out = resolve(options.out);
  await refuseOtherFiles(out);
  const release = await prepare(options);
  const folder = `${out}.unfinished`;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await writePackages(release, folder);
  await writeDocuments(release, folder);
  const files = await pathsBelow(folder);
  const sums = execFileSync('sha256sum', files, { cwd: folder, encoding: 'utf8' });
  await writeFile(join(folder, 'SHA256SUMS'), sums);
  await writeFile(join(folder, 'SHA256SUMS.asc'), release.signer.detached(sums));
  await refuseOtherFiles(out);
  await rm(out, { recursive: true, force: true });
  await rename(folder, out);
}

/** Throws a ConfigurationError if a folder has files that are not those of a release: it would be deleted with them. */
async function refuseOtherFiles(out: string): Promise<void> {
  const files = await pathsBelow(out).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return [];
    if (codeOf(error) === 'ENOTDIR') throw new ConfigurationError('--out', out, 'a folder, and it is a file');
    throw error;
  });
  const sums = await readFile(join(out, 'SHA256SUMS'), 'utf8').catch(() => '');
  const own = new Set(['SHA256SUMS', 'SHA256SUMS.asc', ...sums.split('\n').map((line) => line.slice(66))]);
  const other = files.find((file) => !own.has(file));
  if (other === undefined) return;
  const expected = `a folder without files, or with nothing but an earlier release: it has ${other}`;
  throw new ConfigurationError('--out', out, expected);
}

async function prepare(options: ReleaseOptions): Promise<Release> {
  const { version } = manifest;
  const changelog = await readFile(new URL('../../../../CHANGELOG.md', import.meta.url), 'utf8');
  const notes = releaseNotes(changelog, version, options.isTrial);
  const commit = await readCommit();
  if (commit.changed.length > 0 && !options.isTrial) {
    const expected = 'a checkout without changes, or --trial';
    throw new ConfigurationError('checkout', commit.changed.join(', '), expected);
  }
  const signer = openSigner(options.keys, commit.time);
  const packages = await shippedPackages();
  refuseLicences(packages);
  return { ...options, version, notes, commit, signer, packages };
}

/**
 * The notes of a version: its section of the changelog. Throws ConfigurationError if it has none, or none with a line about
 * the advisories of what is shipped, or, unless this is a trial, if the section says that the version is not released yet or
 * that these advisories are not checked yet.
 */
export function releaseNotes(changelog: string, version: string, isTrial = false): string {
  const sections = changelog.split(/^(?=## )/m);
  const own = sections.find((section) => /^## \[?([^\]\s]+)/.exec(section)?.[1] === version);
  const [title = '', ...lines] = own?.split('\n') ?? [];
  const text = lines.join('\n').trim();
  if (!text)
    throw new ConfigurationError('CHANGELOG.md', undefined, `a section "## ${version}" with its changes`);
  if (title.includes('not released yet') && !isTrial)
    throw new ConfigurationError('CHANGELOG.md', title, `the date of ${version} in this title, or --trial`);
  const advisories = /^- Advisories of Node and of the base image: (.+)/m.exec(text)?.[1];
  if (advisories === undefined || (advisories.startsWith('not checked yet') && !isTrial)) {
    const expected =
      'a line "- Advisories of Node and of the base image: " with the date and result of the check';
    throw new ConfigurationError('CHANGELOG.md', advisories ?? title, expected);
  }
  return `# Visitor Counter ${version}\n\n${text}\n`;
}

/** The repository with all packages, and the files for cards of a Raspberry Pi. */
async function writePackages(release: Release, folder: string): Promise<void> {
  const { architectures, version, commit, signer, onStep } = release;
  const unsigned = join(folder, 'unsigned');
  const built: BuiltPackage[] = [];
  for (const build of [packageAgent, packageServer]) {
    for (const architecture of architectures) {
      built.push(await build({ architecture, out: unsigned, version, onStep }));
    }
  }
  onStep('writing the repository for apt');
  const { time } = commit;
  if (release.pool !== undefined) await cp(release.pool, join(folder, 'apt/pool'), { recursive: true });
  await buildRepository({ out: join(folder, 'apt'), packages: built, version, time, signer });
  const deb = built.find(({ name, architecture }) => name === 'counter-agent' && architecture === 'arm64');
  if (deb)
    await writeCardArchive({ out: folder, deb: deb.path, releaseKey: signer.publicKey, version, time });
  await rm(unsigned, { recursive: true });
}

/** The source, from which operators build the image for containers, and what is said about the release. */
async function writeDocuments(release: Release, folder: string): Promise<void> {
  const { version, commit, notes, packages, architectures } = release;
  const write = (name: string, content: string) => writeFile(join(folder, name), content);
  await writeSource(join(folder, `visitor-counter-source_${version}.tar.gz`));
  await write(`visitor-counter_${version}.cdx.json`, await billOfMaterials(commit, architectures));
  const [architecture = 'arm64'] = architectures;
  const licences = await licencesWith(packages, await fetchRuntime(architecture));
  await write('THIRD-PARTY-LICENCES.txt', licenceTexts(licences));
  await write('RELEASE-NOTES.md', notes);
}

/** The paths of all files below a folder. */
async function pathsBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => !entry.isDirectory());
  return files.map(({ parentPath, name }) => relative(folder, join(parentPath, name))).sort();
}
