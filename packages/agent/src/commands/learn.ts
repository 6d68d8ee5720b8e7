import { stopSignal } from '@visitor-counter/service/run-service';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import { chooseDoor, type DoorOptions, loadConfig } from '../config/load-config.ts';
import { UnitFile } from '../enrol/unit-file.ts';
import { askAgent, askOnce } from '../local/ask-agent.ts';
import { logCommand, restartService, serviceOf } from '../machine/service-state.ts';
import { gatherWalks, type LinePair, learnLines, type Walk } from './learn-lines.ts';
import { noAgent } from './status.ts';

const walksNeeded = 3;

/**
 * Finds swapped beams and inverted levels from three walks into the store, as the running agent sees them, and writes them
 * into the configuration. Then restarts the package's service. Exit code 0; 1 if nothing was learned, and then the file is
 * unchanged. Throws ConfigurationError.
 */
export async function learn(options: DoorOptions, process: NodeJS.Process): Promise<number> {
  const { env, stdout, stderr } = process;
  const door = chooseDoor(await loadConfig(options.config, env), options.door);
  const { beams: wired } = door;
  if (wired.source !== 'gpio' || !wired.b) {
    const expected = 'two beams on GPIO lines, since others need no learning';
    throw new ConfigurationError('beams', wired.source, expected);
  }
  const lines = { a: wired.a, b: wired.b };
  const say = (text: string) => void stdout.write(`${text}\n`);
  const fail = (text: string) => {
    stderr.write(`${text}\n`);
    return 1;
  };
  const running = await askOnce(door.journal);
  if (!running) return fail(noAgent);
  if (running.problem !== undefined) return fail(running.problem);
  say('Stand clear of the door.');
  const done = new AbortController();
  const trace = askAgent(door.journal, 'edges', AbortSignal.any([stopSignal(env), done.signal]));
  const { atRest, walks } = await gatherWalks(
    trace,
    walksNeeded,
    (number) => say(`Walk ${number} of ${walksNeeded}: from the street into the store, then stand clear.`),
    (walk) => say(`  ${describe(walk, lines)}`),
    () => done.abort(),
  );
  if (walks.length < walksNeeded) return fail('Ended before the walks were done: nothing is changed.');
  const learned = learnLines(atRest, walks, lines);
  if ('problem' in learned) return fail(`Nothing is changed: ${learned.problem}.`);
  const file = await UnitFile.open(options.config);
  await file.setBeams(door.serial, learned);
  for (const beam of ['a', 'b'] as const) {
    const { line, activeLow } = learned[beam];
    say(
      `beam ${beam} (${beam === 'a' ? 'street' : 'store'}): ${line}, broken = ${activeLow ? 'low' : 'high'}`,
    );
  }
  say(`Written to ${options.config}.`);
  const service = await serviceOf(options.config, env);
  if (service === undefined) say('Restart the agent.');
  else if (await restartService(service, env)) say(`The service ${service} counts with it.`);
  else return fail(`The service ${service} does not start: \`${logCommand(service)}\` shows why.`);
  return 0;
}

function describe([first, second]: Walk, lines: LinePair): string {
  if (!first || !second) return 'only one beam moved';
  return `first ${lines[first].line}, then ${lines[second].line}`;
}
