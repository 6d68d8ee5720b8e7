import { readNamedFile } from '@visitor-counter/service/files';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import { monotonicNow } from '../clock/time.ts';
import type { BeamsConfig } from '../config/agent-config.ts';
import type { Beams, BeamsStart } from './beams.ts';

/** Opens the configured beams. Throws ConfigurationError if one of their files is unusable. */
export async function openBeams(config: BeamsConfig, start: BeamsStart): Promise<Beams> {
  switch (config.source) {
    case 'gpio': {
      const { GpioBeams } = await import('./gpio-beams.ts');
      return new GpioBeams(config, { ...start, clock: monotonicNow, env: process.env });
    }
    case 'simulated': {
      const { SimulatedBeams } = await import('./simulated-beams.ts');
      const { overlays = [0], ...schedule } = config;
      return new SimulatedBeams(
        { ...schedule, overlays, profile: await readProfile(config.profile) },
        start.resumeAfter,
      );
    }
    case 'replay': {
      const { ReplayBeams } = await import('./replay-beams.ts');
      return new ReplayBeams(config);
    }
  }
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
