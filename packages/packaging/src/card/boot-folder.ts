import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { stringify } from 'yaml';
import { filled } from '../program/program-tree.ts';

/** The content of the boot partition for the first boot. What is left out may be filled in by the installer. */
export interface BootOptions {
  /** Address at which units enrol. */
  readonly server?: string;
  readonly code?: string;
  readonly wifi?: { readonly ssid: string; readonly password: string; readonly country: string };
  /** The address of the releases, from which the unit gets updates. */
  readonly releases?: string;
  /** The public key that has signed them, in armour. */
  readonly releaseKey?: string;
  /** A public key that may log in over ssh as `installer`. */
  readonly sshKey?: string;
  /** The name of the package's file. */
  readonly deb: string;
  /** The unit's configuration before it enrols. */
  readonly unit: string;
}

/** The text files for the boot partition, by path, for cloud-init (NoCloud), which runs `counter/first-boot` once. */
export async function bootFolder(options: BootOptions): Promise<Readonly<Record<string, string>>> {
  const { server = '', code = '', wifi, unit, releases = '', releaseKey, sshKey, deb } = options;
  const values = { SERVER: server, CODE: code, RELEASES: releases, DEB: deb };
  const files = {
    'user-data': await cardFile('user-data'),
    'counter/first-boot': filled(await cardFile('first-boot'), values),
    'counter/enrol.env': filled(await cardFile('enrol.env'), values),
    ...(releaseKey && { 'counter/visitor-counter.asc': releaseKey }),
    ...(sshKey && { 'counter/ssh.pub': `${sshKey}\n` }),
    'counter/unit.yaml': unit,
    ...(wifi && { 'network-config': stringify(networkConfig(wifi), { lineWidth: 0 }) }),
  };
  const digest = createHash('sha256').update(JSON.stringify(files)).digest('hex');
  return { ...files, 'meta-data': `instance-id: counter-${digest.slice(0, 16)}\n` };
}

/** A file of the folder `files/card`. */
export function cardFile(name: string): Promise<string> {
  return readFile(new URL(`../../files/card/${name}`, import.meta.url), 'utf8');
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
