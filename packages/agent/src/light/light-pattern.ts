/** The states that the light of a unit shows, the most urgent first. */
export const lightStates = ['identify', 'fault', 'blocked', 'no-server', 'starting', 'counting'] as const;
export type LightState = (typeof lightStates)[number];

/**
 * Periods in ms, lit and dark in turn, beginning with lit; repeated for ever. The number of flashes before a pause shows
 * what needs attention. `counting` is lit with short interruptions, to distinguish it from a light that hangs.
 */
export const lightPatterns: Readonly<Record<LightState, readonly number[]>> = {
  identify: [80, 80],
  fault: [150, 200, 150, 200, 150, 1_150],
  blocked: [150, 200, 150, 1_500],
  'no-server': [150, 1_850],
  starting: [1_000, 1_000],
  counting: [2_900, 100],
};

/** The state of a door that the light shows. */
export interface DoorCondition {
  /** Its lines cannot be read; undefined for a source that cannot fail. */
  readonly problem: string | undefined;
  /** The disk cannot store crossings: they are held in memory. */
  readonly holding: boolean;
  readonly blocked: boolean;
  readonly connected: boolean;
  /** It has been connected, or has tried for so long that a missing connection is shown. */
  readonly settled: boolean;
}

/** The state that the light shows for all doors together. */
export function lightState(doors: readonly DoorCondition[], identifying: boolean): LightState {
  if (identifying) return 'identify';
  if (doors.some(({ problem, settled }) => problem !== undefined && settled)) return 'fault';
  if (doors.some(({ holding }) => holding)) return 'fault';
  if (doors.some(({ blocked }) => blocked)) return 'blocked';
  if (doors.some(({ connected, settled }) => !connected && settled)) return 'no-server';
  if (doors.some(({ connected, problem }) => !connected || problem !== undefined)) return 'starting';
  return 'counting';
}
