import type { MonotonicMs } from '@visitor-counter/domain/time';
import type { Levels } from '../beams/edge.ts';
import type { DoorConfig } from '../config/agent-config.ts';
import type { CrossingDetector } from './crossing-detector.ts';
import { Detector } from './detector.ts';
import { defaultDetectorSettings, defaultSingleBeamSettings } from './detector-settings.ts';
import { SingleBeamDetector } from './single-beam-detector.ts';

/** The detector that a door's configuration asks for, from the levels at an instant on. */
export function openDetector(
  { detector, oneBeam }: Pick<DoorConfig, 'detector' | 'oneBeam'>,
  levels: Levels,
  at: MonotonicMs,
): CrossingDetector {
  const settings = { ...defaultDetectorSettings, ...detector };
  if (!oneBeam) return new Detector(settings, levels, at);
  const direction = oneBeam.direction === 'in' ? 1 : -1;
  return new SingleBeamDetector(
    settings,
    { ...defaultSingleBeamSettings, ...oneBeam, direction },
    levels.a,
    at,
  );
}
