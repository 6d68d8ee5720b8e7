import type { Logger } from '@visitor-counter/service/logger';
import type { GpioLineConfig } from '../config/beams-config.ts';
import { openGpioTools } from '../gpio/open-tools.ts';
import { type DoorCondition, lightState } from '../light/light-pattern.ts';
import { StatusLight } from '../light/status-light.ts';
import type { Door } from './start-door.ts';

/** How often the state of the doors is checked (ms). */
const checkEvery = 250;
/** For this long after the start, a missing connection is not shown (ms). */
const connectsWithin = 15_000;
/** How long `identify` blinks (ms). */
const identifyFor = 30_000;

export interface RunningLight {
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
  const { line, activeLow = false } = config;
  let reported = '';
  const onProblem = (problem: Error) => {
    if (problem.message !== reported) log.error({ err: problem }, 'status light unavailable');
    reported = problem.message;
  };
  const env = process.env;
  const light = new StatusLight({ line, activeLow }, { openTools: () => openGpioTools(env), env, onProblem });
  const started = performance.now();
  let identifyUntil = 0;
  const update = () => {
    const now = performance.now();
    const settled = now - started > connectsWithin;
    light.show(
      lightState(
        doors().map((door) => conditionOf(door, settled)),
        now < identifyUntil,
      ),
    );
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

function conditionOf({ beams, detector, journal, uplink }: Door, settled: boolean): DoorCondition {
  const blocked = Object.values(detector.beams).some(({ state }) => state === 'blocked');
  const { connected, failure } = uplink;
  const { isHolding: holding } = journal;
  const problem = beams.health?.problem;
  return { problem, holding, blocked, connected, settled: settled || failure !== undefined };
}
