import { ConfigurationError } from '@visitor-counter/service/configuration-error';
import type { AgentConfigFile } from '../config/agent-config.ts';
import { readText } from '../config/load-config.ts';
import type { Beams, BeamsStart } from './beams.ts';

/** The beams that the configuration asks for. Throws ConfigurationError when a file of theirs is unusable. */
export async function openBeams(config: AgentConfigFile['beams'], start: BeamsStart): Promise<Beams> {
  if (config.source === 'replay') {
    const { ReplayBeams } = await import('./replay-beams.ts');
    return new ReplayBeams({ file: config.file, realTime: config.realTime ?? false }, start);
  }
  const { SimulatedBeams } = await import('./simulated-beams.ts');
  const { overlays = [0], ...schedule } = config;
  return new SimulatedBeams({ ...schedule, overlays, profile: await readProfile(config.profile) }, start);
}

async function readProfile(file: string) {
  const { parseTrafficProfile, ProfileError } = await import('./traffic-profile.ts');
  const text = await readText(file, 'beams.profile');
  try {
    return parseTrafficProfile(text);
  } catch (error) {
    if (!(error instanceof ProfileError)) throw error;
    throw new ConfigurationError('beams.profile', file, error.message);
  }
}
