import type { Line } from './edge.ts';

/** A beam as the heartbeat reports it. */
export interface BeamState {
  /** `blocked` when the beam has been broken for longer than a person takes. */
  readonly state: 'clear' | 'blocked';
  /** Since when (epoch ms) the beam has been as it is. */
  readonly since: number;
  /** How often the beam was broken since the start. */
  readonly breaks: number;
}

interface Seen {
  readonly blocked: boolean;
  readonly since: number;
  readonly breaks: number;
}

/** What the detector has seen of its lines, in the words of the heartbeat. */
export function beamStates(lines: Readonly<Record<Line, Seen>>): Record<Line, BeamState> {
  return { a: beamState(lines.a), b: beamState(lines.b) };
}

function beamState({ blocked, since, breaks }: Seen): BeamState {
  return { state: blocked ? 'blocked' : 'clear', since, breaks };
}
