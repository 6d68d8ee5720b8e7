import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { ConfigurationError } from '@visitor-counter/service/configuration-error';
import type { Environment } from '@visitor-counter/service/environment';
import type { AgentConfigFile, BeamsConfig } from './agent-config.ts';
import { parseConfig } from './parse-config.ts';

/**
 * Reads the configuration file; relative paths in it start from its folder, one from COUNTER_JOURNAL from
 * the working directory. Throws ConfigurationError.
 */
export async function loadConfig(file: string, env: Environment): Promise<AgentConfigFile> {
  const config = parseConfig(await readText(file, '--config'), env);
  const folder = dirname(resolve(file));
  const ca = config.ca === undefined ? {} : { ca: resolve(folder, config.ca) };
  const journal = env['COUNTER_JOURNAL'] ? resolve(config.journal) : resolve(folder, config.journal);
  return { ...config, ...ca, journal, beams: withPaths(config.beams, folder) };
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
