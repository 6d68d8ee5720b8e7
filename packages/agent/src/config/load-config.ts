import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { ConfigurationError } from '@visitor-counter/service/configuration-error';
import type { Environment } from '@visitor-counter/service/environment';
import type { AgentConfig, DoorConfig } from './agent-config.ts';
import type { BeamsConfig } from './beams-config.ts';
import { parseConfig } from './parse-config.ts';

/**
 * Reads the configuration file; relative paths in it start from its folder, one from COUNTER_JOURNAL from
 * the working directory. Throws ConfigurationError.
 */
export async function loadConfig(file: string, env: Environment): Promise<AgentConfig> {
  const config = parseConfig(await readText(file, '--config'), env);
  const folder = dirname(resolve(file));
  const ca = config.ca === undefined ? {} : { ca: resolve(folder, config.ca) };
  const journal = (door: DoorConfig) =>
    env['COUNTER_JOURNAL'] ? resolve(door.journal) : resolve(folder, door.journal);
  const doors = config.doors.map((door) => ({
    ...door,
    journal: journal(door),
    beams: withPaths(door.beams, folder),
  }));
  return { ...config, ...ca, doors };
}

function withPaths(beams: BeamsConfig, folder: string): BeamsConfig {
  switch (beams.source) {
    case 'simulated':
      return { ...beams, profile: resolve(folder, beams.profile) };
    case 'replay':
      return { ...beams, file: resolve(folder, beams.file) };
    case 'gpio':
      return beams;
  }
}

/** The text of a file that a setting names. Throws ConfigurationError when it cannot be read. */
export async function readText(file: string, setting: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch {
    throw new ConfigurationError(setting, file, 'a file that can be read');
  }
}
