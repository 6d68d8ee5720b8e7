import { constants, createReadStream } from 'node:fs';
import { access } from 'node:fs/promises';
import { reasonOf } from '@visitor-counter/service/errors';
import { readNamedFile } from '@visitor-counter/service/files';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import type { BeamsConfig } from '../config/agent-config.ts';
import type { Beams, BeamsCalls } from './beams.ts';

/** Opens the configured beams. Throws ConfigurationError if one of their files is unusable. */
export async function openBeams(config: BeamsConfig, calls: BeamsCalls = {}): Promise<Beams> {
  if (config.source === 'gpio') {
    const { GpioBeams } = await import('./gpio-beams.ts');
    return new GpioBeams(config, calls);
  }
  const { replayedBeams, simulatedBeams } = await import('./played-beams.ts');
  if (config.source === 'simulated') {
    const { overlays = [0], ...schedule } = config;
    const simulation = { ...schedule, overlays, profile: await readProfile(config.profile) };
    return simulatedBeams(simulation);
  }
  await access(config.file, constants.R_OK).catch((error: unknown) => {
    throw new ConfigurationError('beams.file', config.file, `a file that can be read (${reasonOf(error)})`);
  });
  const { readTrace } = await import('./trace.ts');
  const trace = () => readTrace(createReadStream(config.file, { highWaterMark: 16_384 }));
  return replayedBeams(trace, config.realTime ?? false);
}

async function readProfile(file: string) {
  const { parseTrafficProfile, ProfileError } = await import('@visitor-counter/simulation/traffic-profile');
  const text = String(await readNamedFile('beams.profile', file));
  try {
    return parseTrafficProfile(text);
  } catch (error) {
    if (!(error instanceof ProfileError)) throw error;
    throw new ConfigurationError('beams.profile', file, error.message);
  }
}
