import { styleText } from 'node:util';
import { isClockSynchronised } from '@visitor-counter/service/clock-synchronised';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import type { Finding } from '@visitor-counter/wire/diagnosis-message';
import type { AgentConfig, DoorConfig } from '../config/agent-config.ts';
import { loadConfig } from '../config/load-config.ts';
import { isInUse } from '../journal/disk.ts';
import { askOnce } from '../local/ask-agent.ts';
import type { DoorView } from '../local/door-view.ts';
import { accountOf } from '../uplink/uplink-settings.ts';
import { checkBeams } from './check-beams.ts';
import {
  checkClock,
  checkClockChange,
  checkDisk,
  checkNetwork,
  checkPackage,
  checkPower,
  checkService,
  checkUpdate,
} from './check-machine.ts';
import { checkServer } from './check-server.ts';
import { fail, ok } from './finding.ts';

const marks = { ok: ['green', '✔'], warn: ['yellow', '!'], fail: ['red', '✘'] } as const;

/**
 * Checks everything that a unit needs, and prints a line for each check, with advice below it if something is wrong. Exit
 * code 0; 1 if something prevents the unit from counting or delivering; 2 if the file cannot be used.
 */
export async function doctor(
  { config }: { readonly config: string },
  { env, stdout }: NodeJS.Process,
): Promise<number> {
  let verdict = 0;
  for await (const { what, verdict: mark, detail, advice } of examine(config, env)) {
    const [colour, sign] = marks[mark];
    const adviceLine = advice === undefined ? '' : `\n  ${''.padEnd(14)}${styleText('bold', advice)}`;
    stdout.write(`${styleText(colour, sign)} ${what.padEnd(14)}${detail}${adviceLine}\n`);
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
  yield* checkUpdate(env);
  let unit: AgentConfig;
  try {
    unit = await loadConfig(file, env);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    yield fail('configuration', error.message, configurationAdvice(error, file));
    return undefined;
  }
  yield ok('configuration', file);
  yield* await checkService(file, env);
  yield await checkClock(env);
  yield* await checkPower(env);
  yield checkNetwork();
  return unit;
}

function configurationAdvice({ setting }: ConfigurationError, file: string): string {
  if (setting === '--config')
    return 'run the doctor with sudo; if there is no such file, enrol the unit: `counter-agent enrol`';
  if (setting.startsWith('COUNTER_')) return `correct the variable ${setting}`;
  if (setting === 'the configuration file') return `correct ${file}`;
  return `correct ${setting} in ${file}`;
}

/** Examines a door. `running` is the state that its running agent reports, which uses the beams and the connection. */
export async function* examineDoor(
  door: DoorConfig,
  unit: AgentConfig,
  env: NodeJS.ProcessEnv,
  running: DoorView | undefined,
): AsyncGenerator<Finding> {
  const { serial, journal } = door;
  yield ok('door', `${serial}, ${running ? 'counted by the running agent' : 'no agent runs'}`);
  yield* checkClockChange(running);
  yield* await checkBeams(door, running);
  yield await checkDisk(journal, running);
  const state = running ?? (isInUse(journal) ? 'silent' : undefined);
  const isSynchronised = (await isClockSynchronised(env)) === true;
  const account = { ...(await accountOf(door, unit)), isClockSet: () => isSynchronised };
  yield* await checkServer(account, state);
}
