import type { Logger } from '@visitor-counter/service/logger';
import { pause } from '@visitor-counter/service/pause';
import type { GpioLineConfig } from '../config/agent-config.ts';
import { blinkLine } from '../gpio/libgpiod.ts';
import { type DoorView, viewOf } from '../local/door-view.ts';
import type { Door } from '../recording/door.ts';

/**
 * The states that the light of a unit shows, the most urgent first.
 *
 * Periods in ms, lit and dark in turn, beginning with lit; repeated for ever. The number of flashes before a pause shows
 * what needs attention. `counting` is lit with short interruptions, to distinguish it from a light that hangs.
 */
const lightPatterns = {
  identify: [80, 80],
  fault: [150, 200, 150, 200, 150, 1_150],
  blocked: [150, 200, 150, 1_500],
  'no-server': [150, 1_850],
  starting: [1_000, 1_000],
  counting: [2_900, 100],
} as const;

export type LightState = keyof typeof lightPatterns;

/** The state that the light shows for all doors together. */
function lightState(doors: readonly DoorView[], isStartOver: boolean): LightState {
  const failing = doors.filter(({ delivery }) => isStartOver || delivery.failure !== undefined);
  if (doors.length === 0) return 'starting';
  if (failing.some(({ problem }) => problem !== undefined)) return 'fault';
  if (doors.some(({ delivery }) => delivery.storage !== undefined)) return 'fault';
  if (doors.some(isObstructed)) return 'blocked';
  if (failing.some(({ delivery }) => !delivery.connected)) return 'no-server';
  const isStarting = doors.some(({ delivery, problem }) => !delivery.connected || problem !== undefined);
  return isStarting ? 'starting' : 'counting';
}

function isObstructed({ beams, flickering }: DoorView): boolean {
  return flickering !== undefined || Object.values(beams).some(({ state }) => state === 'blocked');
}

/** How long the start takes, during which a problem of the lines or a missing connection is not shown (ms). */
const connectsWithin = 15_000;
/** How long `identify` blinks (ms). */
const identifyFor = 30_000;

interface RunningLight {
  /** Blinks for half a minute, so that people can find the unit. */
  identify(): void;
  close(): Promise<void>;
}

/** Shows the state of the doors with the light; does nothing if no line is configured. */
export function startLight(
  line: GpioLineConfig | undefined,
  doors: readonly Door[],
  log: Logger,
): RunningLight {
  if (!line) return { identify: () => {}, close: async () => {} };
  const started = performance.now();
  let identifyUntil = 0;
  const state = () => {
    const now = performance.now();
    if (now < identifyUntil) return 'identify';
    return lightState(doors.map(viewOf), now - started > connectsWithin);
  };
  const stopping = new AbortController();
  const ended = blinkUntil(stopping.signal, line, state, log);
  return {
    identify: () => {
      identifyUntil = performance.now() + identifyFor;
    },
    close: () => {
      stopping.abort();
      return ended;
    },
  };
}

/** How long to wait (ms) before a light that could not be driven is tried again. */
const retryAfter = 10_000;
/** Checking interval for another state to show (ms). */
const checkEvery = 250;

/**
 * Shows `state` with a light on a GPIO line until `signal` aborts. A child process blinks it, so it costs nothing while the
 * state does not change. A light that cannot be driven is logged once and tried again. At the end the line is released,
 * which makes the light dark unless a resistor of the board pulls the line to the other level.
 */
export async function blinkUntil(
  signal: AbortSignal,
  { line, activeLow = false }: GpioLineConfig,
  state: () => LightState,
  log: Logger,
): Promise<void> {
  let reported = '';
  while (!signal.aborted) {
    const shown = state();
    const change = new AbortController();
    const timer = setInterval(() => {
      if (state() !== shown) change.abort();
    }, checkEvery);
    try {
      await blinkLine(line, activeLow, lightPatterns[shown], AbortSignal.any([signal, change.signal]));
    } catch (error) {
      if (String(error) !== reported) log.error({ err: error }, 'status light unavailable');
      reported = String(error);
      await pause(retryAfter, signal);
    } finally {
      clearInterval(timer);
    }
  }
}
