import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import type { AgentConfig, DoorConfig } from '../config/agent-config.ts';
import { loadConfig, readText } from '../config/load-config.ts';
import { isLocked } from '../journal/lock-directory.ts';
import type { DoorView } from '../local/door-view.ts';
import { checkBeams } from './check-beams.ts';
import { checkClock, checkDisk, checkNetwork } from './check-machine.ts';
import { checkPackage } from './check-package.ts';
import { checkServer } from './check-server.ts';
import { checkService } from './check-service.ts';
import { type Finding, fail, ok } from './finding.ts';

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

/** Examines a door. `running` is the state that its running agent reports, which uses the beams and the connection. */
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
