import { styleText } from 'node:util';
import { ConfigurationError } from '@visitor-counter/service/configuration-error';
import type { AgentConfig, DoorConfig } from '../config/agent-config.ts';
import { loadConfig, readText } from '../config/load-config.ts';
import { checkBeams } from '../doctor/check-beams.ts';
import { checkClock, checkDisk, checkNetwork } from '../doctor/check-machine.ts';
import { checkPackage } from '../doctor/check-package.ts';
import { checkServer } from '../doctor/check-server.ts';
import { checkService } from '../doctor/check-service.ts';
import { type Finding, fail, ok } from '../doctor/finding.ts';
import { isLocked } from '../journal/lock-directory.ts';
import { askOnce } from '../local/ask-agent.ts';
import type { DoorView } from '../local/door-view.ts';

export interface DoctorOptions {
  readonly config: string;
}

const marks = { ok: ['green', '✔'], warn: ['yellow', '!'], fail: ['red', '✘'] } as const;

/**
 * Looks at everything that a unit needs, prints a line for each, and below it what to do when it is not well.
 * Exit code 0, 1 when something keeps the unit from counting or delivering, 2 when the file cannot be used.
 */
export async function doctor({ config }: DoctorOptions, { env, stdout }: NodeJS.Process): Promise<number> {
  let verdict = 0;
  for await (const { what, verdict: mark, detail, advice } of examine(config, env)) {
    const [colour, sign] = marks[mark];
    const mended = advice === undefined ? '' : `\n  ${''.padEnd(14)}${styleText('bold', advice)}`;
    stdout.write(`${styleText(colour, sign)} ${what.padEnd(14)}${detail}${mended}\n`);
    if (mark === 'fail') verdict = what === 'configuration' ? 2 : 1;
  }
  return verdict;
}

async function* examine(file: string, env: NodeJS.ProcessEnv): AsyncGenerator<Finding> {
  const unit = yield* examineUnit(file, env);
  if (unit === undefined) return;
  for (const door of unit.doors) yield* examineDoor(door, unit, env, await askOnce(door.journal));
}

/** Examines the file and what all doors of the unit share; returns the configuration if it can be used. */
export async function* examineUnit(
  file: string,
  env: NodeJS.ProcessEnv,
): AsyncGenerator<Finding, AgentConfig | undefined> {
  yield* await checkPackage(env);
  let unit: AgentConfig;
  try {
    unit = await loadConfig(file, env);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    yield fail('configuration', error.message, `edit ${file}; what enrolment writes: \`agent enrol\``);
    return undefined;
  }
  yield ok('configuration', file);
  yield* await checkService(file, env);
  yield await checkClock(env);
  yield checkNetwork();
  return unit;
}

/** Examines a door; `running` is what the agent that counts it says, which keeps its beams and its connection. */
export async function* examineDoor(
  door: DoorConfig,
  { server, ca }: AgentConfig,
  env: NodeJS.ProcessEnv,
  running: DoorView | undefined,
): AsyncGenerator<Finding> {
  const { serial, secret, journal } = door;
  yield ok('door', `${serial}, ${running ? 'counted by the running agent' : 'no agent runs'}`);
  yield* await checkBeams(door, running, env);
  yield await checkDisk(journal, running);
  const account = { server, serial, secret };
  yield* await checkServer(
    ca === undefined ? account : { ...account, ca: await readText(ca, 'ca') },
    running ?? ((await isLocked(journal)) ? 'silent' : undefined),
  );
}
