import type { Logger } from '@visitor-counter/service/logger';
import type { GpioLineConfig } from '../config/beams-config.ts';
import { openGpioTools } from '../gpio/open-tools.ts';
import { type DoorCondition, lightState } from '../light/light-pattern.ts';
import { StatusLight } from '../light/status-light.ts';
import type { Door } from './start-door.ts';

/** How often the doors are looked at (ms). */
const lookEvery = 250;
/** For how long after the start a missing connection is not told (ms), and for how long `identify` blinks. */
const settlesWithin = 15_000;
const identifyFor = 30_000;

export interface RunningLight {
  /** Blinks for half a minute, so that somebody who looks up sees which unit it is. */
  identify(): void;
  close(): Promise<void>;
}

/** Keeps the light in step with the doors; without a line it does nothing. */
export function startLight(
  config: GpioLineConfig | undefined,
  doors: () => readonly Door[],
  log: Logger,
): RunningLight {
  if (!config) return { identify: () => {}, close: async () => {} };
  const { line, activeLow = false } = config;
  let told = '';
  const onProblem = (problem: Error) => {
    if (problem.message !== told) log.error({ err: problem }, 'status light not available');
    told = problem.message;
  };
  const env = process.env;
  const light = new StatusLight({ line, activeLow }, { openTools: () => openGpioTools(env), env, onProblem });
  const started = performance.now();
  let identifyUntil = 0;
  const look = () => {
    const now = performance.now();
    const settled = now - started > settlesWithin;
    light.show(
      lightState(
        doors().map((door) => conditionOf(door, settled)),
        now < identifyUntil,
      ),
    );
  };
  look();
  const timer = setInterval(look, lookEvery);
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
