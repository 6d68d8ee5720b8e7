import type { Logger } from '@visitor-counter/service/logger';
import { pause } from '@visitor-counter/service/pause';
import type { GpioLineConfig } from '../config/agent-config.ts';
import { openGpioTools } from '../gpio/open-tools.ts';
import { endOf, startTool, toolFailed } from '../gpio/run-tool.ts';
import type { Door } from './start-door.ts';

/** How long to wait (ms) before a light that could not be driven is tried again. */
const retryAfter = 10_000;

/** A light on a GPIO line, blinked by a child process, so that it costs nothing while its state does not change. */
export class StatusLight {
  readonly #line: GpioLineConfig;
  readonly #env: NodeJS.ProcessEnv;
  readonly #onProblem: (error: Error) => void;
  readonly #stopping = new AbortController();
  #state: LightState | undefined;
  #change = new AbortController();
  #ended: Promise<void> | undefined;

  /** `onProblem` is called when the light cannot be driven, which is retried. */
  constructor(line: GpioLineConfig, env: NodeJS.ProcessEnv, onProblem: (error: Error) => void) {
    this.#line = line;
    this.#env = env;
    this.#onProblem = onProblem;
  }

  show(state: LightState): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#change.abort();
    this.#ended ??= this.#run();
  }

  /** Releases the line, which makes the light dark unless a resistor of the board pulls the line to the other level. */
  async close(): Promise<void> {
    this.#stopping.abort();
    this.#change.abort();
    await this.#ended;
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted && this.#state) {
      this.#change = new AbortController();
      const { signal } = this.#change;
      try {
        await this.#blink(this.#state, signal);
      } catch (error) {
        this.#onProblem(error instanceof Error ? error : new Error(String(error)));
        await pause(retryAfter, this.#stopping.signal);
      }
    }
  }

  /** Blinks until `signal` aborts. Throws GpioError if the tool ends. */
  async #blink(state: LightState, signal: AbortSignal): Promise<void> {
    const tools = await openGpioTools(this.#env);
    const { line, activeLow = false } = this.#line;
    const command = await tools.blink(line, activeLow, lightPatterns[state]);
    if (signal.aborted) return;
    const child = startTool(command, this.#env);
    const stop = () => child.kill('SIGTERM');
    signal.addEventListener('abort', stop, { once: true });
    child.stdout.resume();
    try {
      const error = await endOf(child);
      if (!signal.aborted) throw await toolFailed('gpioset', tools.major, error);
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }
}

/**
 * The states that the light of a unit shows, the most urgent first.
 *
 * Periods in ms, lit and dark in turn, beginning with lit; repeated for ever. The number of flashes before a pause shows
 * what needs attention. `counting` is lit with short interruptions, to distinguish it from a light that hangs.
 */
export const lightPatterns = {
  identify: [80, 80],
  fault: [150, 200, 150, 200, 150, 1_150],
  blocked: [150, 200, 150, 1_500],
  'no-server': [150, 1_850],
  starting: [1_000, 1_000],
  counting: [2_900, 100],
} as const;

type LightState = keyof typeof lightPatterns;

/** The state of a door that the light shows. */
export interface DoorCondition {
  /** Its lines cannot be read; undefined for a source that cannot fail. */
  readonly problem: string | undefined;
  /** The disk cannot store crossings: they are held in memory. */
  readonly holding: boolean;
  readonly blocked: boolean;
  readonly connected: boolean;
  /** A problem or a missing connection is shown: the start is over, or a connection has failed. */
  readonly showsProblems: boolean;
}

/** The state that the light shows for all doors together. */
export function lightState(doors: readonly DoorCondition[], identifying: boolean): LightState {
  if (identifying) return 'identify';
  if (doors.length === 0) return 'starting';
  if (doors.some(({ problem, showsProblems }) => problem !== undefined && showsProblems)) return 'fault';
  if (doors.some(({ holding }) => holding)) return 'fault';
  if (doors.some(({ blocked }) => blocked)) return 'blocked';
  if (doors.some(({ connected, showsProblems }) => !connected && showsProblems)) return 'no-server';
  if (doors.some(({ connected, problem }) => !connected || problem !== undefined)) return 'starting';
  return 'counting';
}

/** How often the state of the doors is checked (ms). */
const checkEvery = 250;
/** How long the start takes, during which a missing connection is not shown (ms). */
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
  config: GpioLineConfig | undefined,
  doors: () => readonly Door[],
  log: Logger,
): RunningLight {
  if (!config) return { identify: () => {}, close: async () => {} };
  let reported = '';
  const onProblem = (problem: Error) => {
    if (problem.message !== reported) log.error({ err: problem }, 'status light unavailable');
    reported = problem.message;
  };
  const light = new StatusLight(config, process.env, onProblem);
  const started = performance.now();
  let identifyUntil = 0;
  const update = () => {
    const now = performance.now();
    const isStartOver = now - started > connectsWithin;
    const conditions = doors().map((door) => conditionOf(door, isStartOver));
    light.show(lightState(conditions, now < identifyUntil));
  };
  update();
  const timer = setInterval(update, checkEvery);
  return {
    identify: () => {
      identifyUntil = performance.now() + identifyFor;
    },
    close: () => {
      clearInterval(timer);
      return light.close();
    },
  };
}

function conditionOf({ beams, detector, journal, uplink }: Door, isStartOver: boolean): DoorCondition {
  const blocked = Object.values(detector.beams).some(({ state }) => state === 'blocked');
  const { connected, failure } = uplink;
  const { isHolding: holding } = journal;
  const problem = beams.health?.problem;
  return { problem, holding, blocked, connected, showsProblems: isStartOver || failure !== undefined };
}
