import { createHash, X509Certificate } from 'node:crypto';
import { resolve } from 'node:path';
import { isSerial } from '@visitor-counter/domain/serial';
import { givenSecret } from '@visitor-counter/service/given-secret';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import { loadConfig } from '../config/load-config.ts';
import {
  addressOf,
  codeOf,
  EnrolmentRefused,
  postEnrolment,
  ServerUnavailable,
} from '../enrol/enrolment-server.ts';
import { findAnchor } from '../enrol/find-anchor.ts';
import { secretFor, UnitFile, unitSerial } from '../enrol/unit-file.ts';
import { logCommand, restartService, serviceOf } from '../machine/service-state.ts';
import { trustedCertificates } from '../uplink/server-socket.ts';

interface EnrolOptions {
  readonly config: string;
  /** `https://host` or `https://host:port`. */
  readonly server: string;
  /** As an argument, or in a file; without either it is read from standard input. */
  readonly code?: string;
  readonly codeFile?: string;
  readonly serial?: string;
}

/**
 * Enrols one door and completes its configuration. Exit code 0, 1 if the server is unavailable, 2 if it refuses or is not
 * the one in the code. Repeated after a power cut, it continues the same enrolment. Throws ConfigurationError.
 */
export async function enrol(options: EnrolOptions, process: NodeJS.Process): Promise<number> {
  const { stdout, stderr, env } = process;
  try {
    const { code: value, codeFile: file } = options;
    const given = await givenSecret({ value, file, prompt: 'Enrolment code: ' }, process);
    const serial = await enrolDoor(options, given);
    stdout.write(`${serial} has enrolled, and ${options.config} is complete for it.\n`);
    stdout.write(`${await startCounting(options.config, env)}\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof EnrolmentRefused || error instanceof ServerUnavailable)) throw error;
    const again = error instanceof ServerUnavailable ? ' Try again with the same code.' : '';
    stderr.write(`Not enrolled: ${error.message}${again}\n`);
    return error instanceof ServerUnavailable ? 1 : 2;
  }
}

async function enrolDoor(options: EnrolOptions, given: string): Promise<string> {
  const address = addressOf(options.server);
  const code = codeOf(given);
  const config = resolve(options.config);
  const file = await UnitFile.open(config);
  const serial = await serialOf(options, file);
  /* A serial that is not in the file is refused before the server uses the code. */
  file.pathOf(serial);
  const anchor = await findAnchor(address, code.fingerprint);
  const secret = await secretFor(config, serial, code.text);
  const secretHash = createHash('sha256').update(secret).digest('hex');
  const enrolled = await postEnrolment(address, anchor.toString(), { code: code.text, serial, secretHash });
  const ca = enrolled.ca ?? ((await isTrusted(anchor)) ? undefined : anchor.toString());
  await file.complete(serial, { serial: enrolled.serial, secret, server: enrolled.server, ca });
  return enrolled.serial;
}

/** Restarts the package's service if the file is its configuration. Returns the result, or what the user must do next. */
async function startCounting(config: string, env: NodeJS.ProcessEnv): Promise<string> {
  const service = await serviceOf(config, env);
  if (service === undefined) return 'Start the agent, or restart it.';
  try {
    await loadConfig(config, env);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return `It does not count yet: ${error.message}. Then: sudo systemctl restart ${service}`;
  }
  if (await restartService(service, env)) return `The service ${service} counts.`;
  return `The service ${service} does not start: \`${logCommand(service)}\` shows why.`;
}

/** The requested serial, else that of the file, else that of the machine. */
async function serialOf({ serial }: EnrolOptions, file: UnitFile): Promise<string> {
  const found = serial ?? file.serial ?? (await unitSerial());
  if (found !== undefined && isSerial(found)) return found;
  throw new ConfigurationError('--serial', found, 'a serial number, if file and machine have none');
}

async function isTrusted(anchor: X509Certificate): Promise<boolean> {
  const trusted = await trustedCertificates();
  return trusted.some((pem) => new X509Certificate(pem).fingerprint256 === anchor.fingerprint256);
}
