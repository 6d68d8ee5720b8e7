import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { addressOf, codeOf } from '@visitor-counter/agent/enrol/enrolment-server';
import { readNamedFile } from '@visitor-counter/service/files';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import { packageAgent } from '../agent/package-agent.ts';
import { tarArchive } from '../deb/build-deb.ts';
import { fileOf } from '../program/program-tree.ts';
import type { Architecture } from '../program/runtimes.ts';
import { type BootOptions, bootFolder } from './boot-folder.ts';
import { readCards, readPublicKey, readReleaseKey, unitFileFor } from './card-files.ts';

interface SdOptions {
  readonly out: string;
  readonly server: string;
  readonly code: string;
  readonly architecture: Architecture;
  /** `name:password`. */
  readonly wifi?: string;
  /** The country whose radio rules apply, in two letters. */
  readonly country: string;
  /** File of a public key. */
  readonly sshKey?: string;
  /** Address of the releases, for updates, and the file of the key that has signed them. */
  readonly releases?: string;
  readonly releaseKey?: string;
  /** File of the unit's configuration; the default one when left out. */
  readonly unit?: string;
  /** The unit's serial number: that of the unit it replaces, or of a machine without a serial number. */
  readonly serial?: string;
  readonly onStep?: (step: string) => void;
}

/** Writes the folder of files for the boot partition. Throws a ConfigurationError that names the option. */
export async function packageSd(options: SdOptions): Promise<void> {
  const card = await prepareCard(options);
  const { out, architecture, onStep } = options;
  const { path } = await packageAgent({ architecture, out: join(out, 'counter'), ...(onStep && { onStep }) });
  onStep?.(`writing the files for the card to ${out}`);
  await writeCard(out, { ...card, deb: basename(path) });
}

/** The options of all cards of a batch. */
interface BatchOptions extends Omit<SdOptions, 'code' | 'serial'> {
  /** The file with the cards. */
  readonly batch: string;
}

/**
 * Writes a folder for each card of a batch into `out`, named by its label; writes nothing if one of them is invalid. The
 * package is built once. Returns the folders. Throws a ConfigurationError that names the card and the option.
 */
export async function packageBatch({ batch, out, ...common }: BatchOptions): Promise<string[]> {
  const { architecture, onStep } = common;
  const cards: { folder: string; files: Omit<BootOptions, 'deb'> }[] = [];
  for (const { label, ...own } of await readCards(batch)) {
    const unit = own.unit === undefined ? {} : { unit: resolve(dirname(batch), own.unit) };
    const options = { ...common, ...own, ...unit, out };
    const files = await prepareCard(options).catch((error: unknown) => {
      if (!(error instanceof ConfigurationError)) throw error;
      throw new ConfigurationError('--batch', label, `a card that can be made; ${error.message}`);
    });
    cards.push({ folder: join(out, label), files });
  }
  const built = await mkdtemp(join(tmpdir(), 'counter-cards-'));
  try {
    const { path } = await packageAgent({ architecture, out: built, ...(onStep && { onStep }) });
    for (const { folder, files } of cards) {
      onStep?.(`writing the files for the card to ${folder}`);
      await writeCard(folder, { ...files, deb: basename(path) });
      await copyFile(path, join(folder, 'counter', basename(path)));
    }
  } finally {
    await rm(built, { recursive: true, force: true });
  }
  return cards.map(({ folder }) => folder);
}

async function prepareCard(options: SdOptions): Promise<Omit<BootOptions, 'deb'>> {
  const { server, code, architecture, serial } = options;
  addressOf(server);
  codeOf(code);
  const wifi = options.wifi === undefined ? {} : { wifi: parseWifi(options.wifi, options.country) };
  const sshKey = options.sshKey === undefined ? {} : { sshKey: await readPublicKey(options.sshKey) };
  const unit = unitFileFor({
    path: options.unit ?? 'the default file',
    text:
      options.unit === undefined
        ? await fileOf('unit.yaml')
        : String(await readNamedFile('--unit', options.unit)),
    serial,
    needsSerial: architecture !== 'arm64',
  });
  return { server, code, ...wifi, ...sshKey, ...(await releasesOf(options)), unit };
}

async function releasesOf({
  releases,
  releaseKey,
}: SdOptions): Promise<Pick<BootOptions, 'releases' | 'releaseKey'>> {
  if (releases === undefined && releaseKey === undefined) return {};
  if (releases === undefined || !/^https?:\/\/[^\s"'`$\\]+$/.test(releases))
    throw new ConfigurationError('--releases', releases, 'an address such as https://releases.example');
  if (releaseKey === undefined)
    throw new ConfigurationError('--release-key', undefined, 'visitor-counter.asc of the releases');
  return { releases: releases.replace(/\/+$/, ''), releaseKey: await readReleaseKey(releaseKey) };
}

async function writeCard(folder: string, options: BootOptions): Promise<void> {
  for (const [path, content] of Object.entries(bootFolder(options))) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}

function parseWifi(text: string, country: string): NonNullable<BootOptions['wifi']> {
  const [, ssid, password] = /^([^:]{1,32}):([ -~]{8,63})$/.exec(text) ?? [];
  if (ssid === undefined || password === undefined) {
    throw new ConfigurationError(
      '--wifi',
      '…',
      'name:password, the password with 8 to 63 characters of ASCII',
    );
  }
  if (!/^[A-Z]{2}$/.test(country))
    throw new ConfigurationError('--country', country, 'two letters such as DE');
  return { ssid, password, country };
}

interface CardArchiveOptions {
  /** The folder that the archive is written to. */
  readonly out: string;
  /** The path of the agent's package. */
  readonly deb: string;
  /** The public key of the release. */
  readonly releaseKey: string;
  readonly version: string;
  /** The time of all files (epoch seconds). */
  readonly time: number;
}

/**
 * Writes the files for the boot partition of any unit as an archive: the installer fills in `counter/enrol.env`, and may
 * add a public key.
 */
export async function writeCardArchive({
  out,
  deb,
  releaseKey,
  version,
  time,
}: CardArchiveOptions): Promise<void> {
  const name = `visitor-counter-card_${version}_arm64`;
  const unit = await fileOf('unit.yaml');
  const boot = bootFolder({ server: '', code: '', unit, deb: basename(deb), releaseKey, hasKeyFile: true });
  const files = Object.entries({ ...boot, 'counter/enrol.env': enrolment }).map(([path, content]) => {
    return { path: `/${name}/${path}`, content };
  });
  const content = await readFile(deb);
  const archive = await tarArchive([...files, { path: `/${name}/counter/${basename(deb)}`, content }], time);
  await writeFile(join(out, `${name}.tar.gz`), gzipSync(archive));
}

const enrolment = [
  '# Fill in these lines with the values from the operator.',
  '# SERVER is an address such as https://counter.example, CODE has six groups of five characters.',
  'SERVER=',
  'CODE=',
  '# The address of the releases, such as https://releases.example; the unit gets its updates from there.',
  'RELEASES=',
  '',
].join('\n');
