import { createHash } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { parseEnrolmentCode } from '@visitor-counter/domain/enrolment-code';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import { stringify } from 'yaml';
import { packageAgent } from '../agent/package-agent.ts';
import { fileOf } from '../program/program-tree.ts';
import type { Architecture } from '../program/runtimes.ts';
import { read, readCards, readPublicKey, unitFileFor } from './card-files.ts';

export interface SdOptions {
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
  /** File of the unit's configuration; the default one when left out. */
  readonly unit?: string;
  /** The unit's serial number: that of the unit it replaces, or of a machine without a serial number. */
  readonly serial?: string;
  /** Called with each step. */
  readonly onStep?: (step: string) => void;
}

/** Writes the folder of files for the boot partition. Throws a ConfigurationError that names the option. */
export async function packageSd(options: SdOptions): Promise<void> {
  const card = await prepareCard(options);
  const { out, architecture, onStep } = options;
  const deb = await packageAgent({ architecture, out: join(out, 'counter'), ...(onStep && { onStep }) });
  onStep?.(`writing the files for the card to ${out}`);
  await writeCard(out, { ...card, deb: basename(deb) });
}

/** The options of all cards of a batch. */
export interface BatchOptions extends Omit<SdOptions, 'code' | 'serial'> {
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
    const deb = await packageAgent({ architecture, out: built, ...(onStep && { onStep }) });
    for (const { folder, files } of cards) {
      onStep?.(`writing the files for the card to ${folder}`);
      await writeCard(folder, { ...files, deb: basename(deb) });
      await copyFile(deb, join(folder, 'counter', basename(deb)));
    }
  } finally {
    await rm(built, { recursive: true, force: true });
  }
  return cards.map(({ folder }) => folder);
}

async function prepareCard(options: SdOptions): Promise<Omit<BootOptions, 'deb'>> {
  const { server, code, architecture, serial } = options;
  checkServer(server);
  if (!parseEnrolmentCode(code)) {
    throw new ConfigurationError('--code', '…', 'six groups of five characters; one of these is mistyped');
  }
  const wifi = options.wifi === undefined ? {} : { wifi: parseWifi(options.wifi, options.country) };
  const sshKey = options.sshKey === undefined ? {} : { sshKey: await readPublicKey(options.sshKey) };
  const unit = unitFileFor({
    path: options.unit ?? 'the default file',
    text: options.unit === undefined ? await fileOf('unit.yaml') : await read('--unit', options.unit),
    serial,
    needsSerial: architecture !== 'arm64',
  });
  return { server, code, ...wifi, ...sshKey, unit };
}

async function writeCard(folder: string, options: BootOptions): Promise<void> {
  for (const [path, content] of Object.entries(bootFolder(options))) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}

function checkServer(server: string): void {
  const url = URL.parse(server);
  if (url?.protocol === 'https:' && url.hostname !== '' && /^\S+$/.test(server)) return;
  throw new ConfigurationError('--server', server, 'https://host or https://host:port');
}

function parseWifi(text: string, country: string): NonNullable<BootOptions['wifi']> {
  const [, ssid, password] = /^([^:]{1,32}):(.{8,63})$/.exec(text) ?? [];
  if (ssid === undefined || password === undefined) {
    throw new ConfigurationError('--wifi', '…', 'name:password, the password with 8 to 63 characters');
  }
  if (!/^[A-Z]{2}$/.test(country))
    throw new ConfigurationError('--country', country, 'two letters such as DE');
  return { ssid, password, country };
}

/** The content of the boot partition for the first boot. */
export interface BootOptions {
  /** Address at which units enrol. */
  readonly server: string;
  readonly code: string;
  readonly wifi?: { readonly ssid: string; readonly password: string; readonly country: string };
  /** A public key that may log in over ssh as `installer`. */
  readonly sshKey?: string;
  /** The installer may put such a key into `counter/ssh.pub`. */
  readonly hasKeyFile?: boolean;
  /** The name of the package's file. */
  readonly deb: string;
  /** The unit's configuration before it enrols. */
  readonly unit: string;
}

const boot = '/boot/firmware/counter';
const etc = '/etc/visitor-counter';

/**
 * Sets the host name from the last eight letters and digits of the serial number, such as `counter-1a2b3c4d`: the serial
 * number of the unit's file, else of the Raspberry Pi.
 */
const setHostName = [
  `serial=$(sed -n 's/^serial: *//p' ${boot}/unit.yaml)`,
  `[ -n "$serial" ] || serial=$(tr -d '\\0' < /proc/device-tree/serial-number)`,
  `serial=$(printf %s "$serial" | tr A-Z a-z | tr -cd a-z0-9 | tail -c 8)`,
  '[ -n "$serial" ] || exit 0',
  'name=counter-$serial',
  'hostnamectl set-hostname "$name"',
  `{ sed -i '/^127\\.0\\.1\\.1/d' /etc/hosts; echo "127.0.1.1 $name" >> /etc/hosts; }`,
  'systemctl try-restart avahi-daemon.service || true',
].join('\n');

/**
 * The text files for the boot partition, by path, for cloud-init (NoCloud): they install the package and store the code
 * for the service that enrols, which retries until the server answers.
 */
export function bootFolder(options: BootOptions): Readonly<Record<string, string>> {
  const { server, code, wifi, unit } = options;
  const files = {
    'user-data': `#cloud-config\n${stringify(userData(options), { lineWidth: 0 })}`,
    'counter/enrol.env': `SERVER=${server}\nCODE=${code}\n`,
    'counter/unit.yaml': unit,
    ...(wifi ? { 'network-config': stringify(networkConfig(wifi), { lineWidth: 0 }) } : {}),
  };
  const digest = createHash('sha256').update(JSON.stringify(files)).digest('hex');
  return { ...files, 'meta-data': `instance-id: counter-${digest.slice(0, 16)}\n` };
}

/** Copies the key that the installer has put next to the package, and only then opens the machine for ssh. */
const copyKey = [
  // Anything else, such as a private key, is not copied.
  `grep -Eq '^(ssh|ecdsa|sk)-' ${boot}/ssh.pub 2> /dev/null || exit 0`,
  'install -d -m 700 -o installer -g installer /home/installer/.ssh',
  `tr -d '\\r' < ${boot}/ssh.pub > /home/installer/.ssh/authorized_keys`,
  'chown installer:installer /home/installer/.ssh/authorized_keys',
  'chmod 600 /home/installer/.ssh/authorized_keys',
  'systemctl enable --now ssh',
].join('\n');

function userData({ sshKey, hasKeyFile = false, deb }: BootOptions): object {
  return {
    ...(sshKey ? { enable_ssh: true } : {}),
    ...(sshKey || hasKeyFile ? { users: ['default', installer(sshKey)] } : {}),
    // cloud-init must not restore the host name of the image.
    preserve_hostname: true,
    runcmd: [
      ['sh', '-c', setHostName],
      ...(sshKey ? [['sh', '-c', 'systemctl enable --now ssh || true']] : []),
      ...(hasKeyFile ? [['sh', '-c', copyKey]] : []),
      ['install', '-d', etc],
      ['sh', '-c', `[ -e ${etc}/unit.yaml ] || install -m 600 ${boot}/unit.yaml ${etc}/unit.yaml`],
      ['install', '-m', '600', `${boot}/enrol.env`, `${etc}/enrol.env`],
      ['sh', '-c', `dpkg -i ${boot}/${deb} || apt-get install -y --fix-broken`],
      ['systemctl', 'start', '--no-block', 'counter-enrol.service'],
      ['rm', '-f', `${boot}/enrol.env`],
    ],
  };
}

function installer(sshKey: string | undefined): object {
  return {
    name: 'installer',
    groups: ['sudo', 'gpio'],
    shell: '/bin/bash',
    sudo: 'ALL=(ALL) NOPASSWD:ALL',
    ...(sshKey === undefined ? {} : { ssh_authorized_keys: [sshKey.trim()] }),
  };
}

function networkConfig({ ssid, password, country }: NonNullable<BootOptions['wifi']>): object {
  const wlan0 = {
    dhcp4: true,
    optional: true,
    'regulatory-domain': country,
    'access-points': { [ssid]: { password } },
  };
  const eth0 = { dhcp4: true, optional: true };
  return { network: { version: 2, ethernets: { eth0 }, wifis: { wlan0 } } };
}
