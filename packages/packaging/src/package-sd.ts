import { mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { parseEnrolmentCode } from '@visitor-counter/domain/enrolment-code';
import { ConfigurationError } from '@visitor-counter/service/configuration-error';
import { fileOf } from './agent-tree.ts';
import type { Architecture } from './architecture.ts';
import { type BootOptions, bootFolder } from './boot-folder.ts';
import { read, readPublicKey, unitFileFor } from './card-files.ts';
import { packageAgent } from './package-agent.ts';

export interface SdOptions {
  readonly out: string;
  readonly server: string;
  readonly code: string;
  readonly architecture: Architecture;
  /** `name:password`. */
  readonly wifi?: string;
  /** Two letters: which radio rules hold. */
  readonly country: string;
  /** File of a public key. */
  readonly sshKey?: string;
  /** File of the unit's configuration, where the usual one does not do. */
  readonly unit?: string;
  /** The unit's serial number: of the one that it replaces, or of a machine that has none of its own. */
  readonly serial?: string;
  /** Called with each step, for a person who waits. */
  readonly onStep?: (step: string) => void;
}

/** Writes the folder of files for the boot partition. Throws ConfigurationError naming the option. */
export async function packageSd(options: SdOptions): Promise<void> {
  checkServer(options.server);
  if (!parseEnrolmentCode(options.code)) {
    throw new ConfigurationError('--code', '…', 'six groups of five characters; one of these is mistyped');
  }
  const wifi = options.wifi === undefined ? {} : { wifi: parseWifi(options.wifi, options.country) };
  const sshKey = options.sshKey === undefined ? {} : { sshKey: await readPublicKey(options.sshKey) };
  const { server, code, architecture, serial, out, onStep } = options;
  const unit = unitFileFor({
    path: options.unit ?? 'the usual file',
    text: options.unit === undefined ? await fileOf('unit.yaml') : await read('--unit', options.unit),
    serial,
    needsSerial: architecture !== 'arm64',
  });
  const deb = await packageAgent({ architecture, out: join(out, 'counter'), ...(onStep && { onStep }) });
  onStep?.(`writing the files for the card to ${out}`);
  const files = bootFolder({ server, code, ...wifi, ...sshKey, deb: basename(deb), unit });
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(options.out, path)), { recursive: true });
    await writeFile(join(options.out, path), content);
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
