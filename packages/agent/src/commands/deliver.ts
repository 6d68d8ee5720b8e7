import { rm } from 'node:fs/promises';
import { pause } from '@visitor-counter/service/pause';
import { stopSignal } from '@visitor-counter/service/run-service';
import { chooseDoor, type DoorOptions, loadConfig } from '../config/load-config.ts';
import { asUnusable } from '../journal/journal-errors.ts';
import { copyOldJournal } from '../journal/old-journal.ts';
import { askOnce, askToAdopt } from '../local/ask-agent.ts';
import type { DoorView } from '../local/door-view.ts';
import type { AdoptedJournal } from '../local/serve-local.ts';
import { noAgent } from './status.ts';

/** How often the progress is printed (ms). */
const reportEvery = 1_000;

/**
 * Has the running agent deliver the journal of a replaced unit, with the account of this unit and the id of that journal, so
 * the server does not count crossings again that it already has. The folder is not changed. Exit code 0 when all is delivered,
 * else 1. Throws ConfigurationError.
 */
export async function deliver(
  folder: string,
  options: DoorOptions,
  { env, stdout, stderr }: NodeJS.Process,
): Promise<number> {
  const say = (text: string) => void stdout.write(`${text}\n`);
  const signal = stopSignal(env);
  const door = chooseDoor(await loadConfig(options.config, env), options.door);
  if (!(await askOnce(door.journal))) {
    stderr.write(`${noAgent}\n`);
    return 1;
  }
  const copy = `${door.journal}.old`;
  const answer = await copyOldJournal(folder, door, copy)
    .catch((error: unknown) => {
      throw asUnusable(copy, error);
    })
    .then(() => askToAdopt(door.journal, copy))
    .finally(() => rm(copy, { recursive: true, force: true }));
  if (!answer || 'problem' in answer) {
    stderr.write(`The agent cannot take this journal over now: ${answer?.problem ?? 'it has ended'}.\n`);
    return 1;
  }
  say(textOf(answer.adopted));
  const isDelivered = await untilDelivered(door.journal, say, signal);
  say(isDelivered ? 'All is delivered.' : 'Stopped: the agent delivers the others.');
  return isDelivered ? 0 : 1;
}

function textOf(adopted: readonly AdoptedJournal[]): string {
  if (adopted.length === 0) return 'This unit counts on this journal itself: there is nothing to take over.';
  const sum = (numberOf: (journal: AdoptedJournal) => number) =>
    adopted.reduce((all, journal) => all + numberOf(journal), 0);
  const recorded = sum((journal) => journal.recorded);
  const pending = recorded - sum((journal) => journal.acknowledged);
  const lost = adopted.flatMap((journal) => journal.lost);
  const text = `${recorded} crossings, ${pending} of them not known to be delivered.`;
  if (lost.length === 0) return text;
  const unreadable = lost.reduce((all, [first, last]) => all + last - first + 1, 0);
  const ranges = lost.map(([first, last]) => `${first} to ${last}`).join(', ');
  return `${text}\n${unreadable} cannot be read. Declared lost: ${ranges}.`;
}

/** Prints what is left. Resolves with whether nothing is left; with false when `signal` aborts before. */
async function untilDelivered(
  journal: string,
  say: (text: string) => void,
  signal: AbortSignal,
): Promise<boolean> {
  for (let said = ''; !signal.aborted; await pause(reportEvery, signal)) {
    const view = await askOnce(journal).catch(() => undefined);
    if (view?.delivery.pending === 0) return true;
    const text = progressOf(view?.delivery);
    if (text !== said) say(text);
    said = text;
  }
  return false;
}

function progressOf(delivery: DoorView['delivery'] | undefined): string {
  if (!delivery) return 'The agent does not answer: waiting for it. Ctrl-C ends.';
  const { pending, connected, failure, waitsForClock } = delivery;
  if (!connected) return `Not connected to the server: ${failure ?? 'trying'}. Ctrl-C ends.`;
  const reason = waitsForClock ? '; some get their times when the clock is set, see `timedatectl`' : '';
  return `${pending} left${reason}`;
}
