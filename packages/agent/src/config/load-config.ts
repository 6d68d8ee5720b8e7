import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { readNamedFile } from '@visitor-counter/service/files';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import type { Environment } from '@visitor-counter/service/settings/environment';
import type { AgentConfig, BeamsConfig, DoorConfig } from './agent-config.ts';
import { parseConfig } from './parse-config.ts';

/**
 * Reads the configuration file; `state` as in `parseConfig`. Paths in it are relative to its folder, those of journals to
 * COUNTER_STATE if that is set. Throws ConfigurationError.
 */
export async function loadConfig(
  file: string,
  env: Environment,
  state: 'complete' | 'before enrolment' = 'complete',
): Promise<AgentConfig> {
  const config = parseConfig(String(await readNamedFile('--config', file)), state);
  const folder = dirname(resolve(file));
  const ca = config.ca === undefined ? {} : { ca: caPath(config.ca, folder, env) };
  const doors = config.doors.map((door) => ({
    ...door,
    journal: resolve(env['COUNTER_STATE'] ?? folder, door.journal),
    beams: withPaths(door.beams, folder),
  }));
  return { ...config, ...ca, doors };
}

/**
 * systemd passes a copy of the file to the service, with `ca.pem` in the same folder, since the user of the service may not
 * read the original folder. So a file from the original folder is searched for next to the copy.
 */
function caPath(ca: string, folder: string, { COUNTER_CONFIG: original }: Environment): string {
  if (original && isAbsolute(ca) && dirname(ca) === dirname(resolve(original)))
    return join(folder, basename(ca));
  return resolve(folder, ca);
}

function withPaths(beams: BeamsConfig, folder: string): BeamsConfig {
  if (beams.source === 'simulated') return { ...beams, profile: resolve(folder, beams.profile) };
  return beams.source === 'replay' ? { ...beams, file: resolve(folder, beams.file) } : beams;
}

/** The options of commands that concern one door. */
export interface DoorOptions {
  readonly config: string;
  readonly door?: string;
}

/** The door with this serial number; without a serial number, the only door of the unit. Throws ConfigurationError. */
export function chooseDoor({ doors }: AgentConfig, serial: string | undefined): DoorConfig {
  const serials = doors.map((door) => door.serial).join(', ');
  const [first] = doors;
  if (serial === undefined && doors.length === 1 && first) return first;
  const door = doors.find((one) => one.serial === serial);
  if (door) return door;
  throw new ConfigurationError('--door', serial, `one of ${serials}`);
}
