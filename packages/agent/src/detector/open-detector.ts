import type { MonotonicMs } from '@visitor-counter/domain/time';
import type { Levels } from '../beams/beams.ts';
import type { DoorConfig } from '../config/agent-config.ts';
import { defaultDetectorSettings, defaultSingleBeamSettings } from '../config/agent-config.ts';
import type { CrossingDetector } from './crossing-detector.ts';
import { Detector } from './detector.ts';
import { SingleBeamDetector } from './single-beam-detector.ts';

/** Creates the detector of a door's configuration. It begins with the levels at the moment `at`. */
export function openDetector(
  { detector, oneBeam }: Pick<DoorConfig, 'detector' | 'oneBeam'>,
  levels: Levels,
  at: MonotonicMs,
): CrossingDetector {
  const settings = { ...defaultDetectorSettings, ...detector };
  if (!oneBeam) return new Detector(settings, levels, at);
  return new SingleBeamDetector(settings, { ...defaultSingleBeamSettings, ...oneBeam }, levels.a, at);
}
