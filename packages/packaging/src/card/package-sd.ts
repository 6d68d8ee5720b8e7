import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { addressOf, codeOf } from '@visitor-counter/agent/enrol/enrolment-server';
import { readNamedFile } from '@visitor-counter/service/files';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import { packageAgent } from '../agent/package-agent.ts';
import { tarArchive } from '../deb/build-deb.ts';
import type { Architecture } from '../program/runtimes.ts';
import { type BootOptions, bootFolder, cardFile } from './boot-folder.ts';
import { type Card, readPublicKey, readReleaseKey, unitFileFor } from './card-files.ts';

/** The options of all cards; what a card has of its own goes before them. */
interface SdOptions extends Partial<Pick<Card, 'wifi' | 'unit' | 'serial'>> {
  readonly server: string;
  readonly architecture: Architecture;
  /** The country whose radio rules apply, in two letters. */
  readonly country: string;
  /** File of a public key. */
  readonly sshKey?: string;
  /** Address of the releases, for updates, and the file of the key that has signed them. */
  readonly releases?: string;
  readonly releaseKey?: string;
  readonly onStep?: (step: string) => void;
}

/**
 * Writes a folder of files for the boot partition of each card; writes nothing if one of them is invalid. The package is built
 * once. Throws a ConfigurationError that names the option, and the card of a batch.
 */
export async function packageSd(cards: readonly Card[], options: SdOptions): Promise<void> {
  const { architecture, onStep } = options;
  const prepared = new Map<string, Omit<BootOptions, 'deb'>>();
  for (const card of cards) prepared.set(card.folder, await prepareCard(card, options));
  const built = await mkdtemp(join(tmpdir(), 'counter-cards-'));
  try {
    const { path } = await packageAgent({ architecture, out: built, ...(onStep && { onStep }) });
    const deb = basename(path);
    for (const [folder, files] of prepared) {
      onStep?.(`writing the files for the card to ${folder}`);
      await writeCard(folder, { ...files, deb });
      await copyFile(path, join(folder, 'counter', deb));
    }
  } finally {
    await rm(built, { recursive: true, force: true });
  }
}

async function prepareCard(card: Card, common: SdOptions): Promise<Omit<BootOptions, 'deb'>> {
  try {
    return await contentOf({ ...common, ...card });
  } catch (error) {
    if (card.label === undefined || !(error instanceof ConfigurationError)) throw error;
    throw new ConfigurationError('--batch', card.label, `a card that can be made; ${error.message}`);
  }
}

async function contentOf(options: Card & SdOptions): Promise<Omit<BootOptions, 'deb'>> {
  const { server, code, architecture, serial, wifi, country, sshKey } = options;
  addressOf(server);
  codeOf(code);
  const unit = unitFileFor({
    path: options.unit ?? 'the default file',
    text: String(
      options.unit !== undefined ? await readNamedFile('--unit', options.unit) : await cardFile('unit.yaml'),
    ),
    serial,
    needsSerial: architecture !== 'arm64',
  });
  return {
    server,
    code,
    unit,
    ...(wifi !== undefined && { wifi: parseWifi(wifi, country) }),
    ...(sshKey !== undefined && { sshKey: await readPublicKey(sshKey) }),
    ...(await releasesOf(options)),
  };
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
  /* Whose key an earlier card in this folder had may not log in to this one. */
  await rm(join(folder, 'counter'), { recursive: true, force: true });
  for (const [path, content] of Object.entries(await bootFolder(options))) {
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
 * add a public key as `counter/ssh.pub`.
 */
export async function writeCardArchive(options: CardArchiveOptions): Promise<void> {
  const { out, releaseKey, version, time } = options;
  const name = `visitor-counter-card_${version}_arm64`;
  const deb = basename(options.deb);
  const boot = await bootFolder({ unit: await cardFile('unit.yaml'), deb, releaseKey });
  const files = Object.entries(boot).map(([path, content]) => ({ path: `/${name}/${path}`, content }));
  const content = await readFile(options.deb);
  const archive = await tarArchive([...files, { path: `/${name}/counter/${deb}`, content }], time);
  await writeFile(join(out, `${name}.tar.gz`), gzipSync(archive));
}
