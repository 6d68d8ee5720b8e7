import { stopSignal } from '@visitor-counter/service/run-service';
import { chooseDoor, type DoorOptions, loadConfig } from '../config/load-config.ts';
import {
  type DeliveryWay,
  deliverJournal,
  throughAgent,
  throughConnection,
} from '../deliver/deliver-journal.ts';
import { openOldJournal } from '../deliver/old-journal.ts';
import { isInUse } from '../journal/disk.ts';
import type { Journal } from '../journal/journal.ts';
import { asUnusable } from '../journal/journal-errors.ts';
import { askOnce } from '../local/ask-agent.ts';
import { readBootId } from '../machine/machine-state.ts';
import { estimateBootTimes } from '../recording/determine-instants.ts';
import { NotAuthorized } from '../uplink/connect.ts';
import { accountOf } from '../uplink/uplink-settings.ts';

/**
 * Delivers the pending crossings of a replaced unit's journal, with the account of this unit and the id of that journal, so
 * the server does not count crossings again that it already has. The folder is not changed: a copy of the journal is
 * delivered. Exit code 0 when all is delivered, else 1. Throws ConfigurationError.
 */
export async function deliver(
  folder: string,
  options: DoorOptions,
  process: NodeJS.Process,
): Promise<number> {
  try {
    return await deliverAll(folder, options, process);
  } catch (error) {
    if (!(error instanceof NotAuthorized)) throw error;
    process.stderr.write(`${error.message}\n`);
    return 1;
  }
}

async function deliverAll(folder: string, options: DoorOptions, process: NodeJS.Process): Promise<number> {
  const say = (text: string) => void process.stdout.write(`${text}\n`);
  const signal = stopSignal(process.env);
  const unit = await loadConfig(options.config, process.env);
  const door = chooseDoor(unit, options.door);
  const account = await accountOf(door, unit);
  const isRunning = (await askOnce(door.journal)) !== undefined;
  if (!isRunning && isInUse(door.journal)) {
    process.stderr.write('The agent of this unit does not answer yet: try again.\n');
    return 1;
  }
  const way = isRunning ? throughAgent(door.journal) : throughConnection(account, signal);
  const boot = await readBootId();
  const kept = { boot, keepFor: Number.MAX_SAFE_INTEGER };
  const journal = await openOldJournal(folder, door, kept).catch((error: unknown) => {
    throw asUnusable(`${door.journal}.delivered`, error);
  });
  try {
    if (!(await haveInstants(journal, way))) {
      process.stderr.write(
        'Some crossings of this journal get their times from the clock of this machine, which is not set: try again when `timedatectl` shows that it is synchronized.\n',
      );
      return 1;
    }
    return (await deliverJournal({ journal, way, say }, signal)) ? 0 : 1;
  } finally {
    await journal.close();
    await way.close();
  }
}

/** Determines the instants of earlier boots, as a unit does when it starts. Resolves with whether all are known. */
async function haveInstants(journal: Journal, way: DeliveryWay): Promise<boolean> {
  if (!journal.hasUndated) return true;
  const present = await way.bootTime();
  if (present === undefined) return false;
  const boots = estimateBootTimes(journal.undatedBoots, { boot: await readBootId(), ...present });
  while (journal.determineInstants(boots));
  return true;
}
