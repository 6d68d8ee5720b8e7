import { join } from 'node:path';
import { stopSignal } from '@visitor-counter/service/run-service';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import type { DoorConfig } from '../config/agent-config.ts';
import { chooseDoor, type DoorOptions, loadConfig } from '../config/load-config.ts';
import {
  type DeliveryWay,
  deliverJournal,
  throughAgent,
  throughConnection,
} from '../deliver/deliver-journal.ts';
import { findOldJournal, overlaidFiles } from '../deliver/old-journal.ts';
import { nodeFileSystem } from '../journal/file-system.ts';
import type { Journal } from '../journal/journal.ts';
import { inUsableJournal, JournalInUse, JournalUnreadable } from '../journal/journal-errors.ts';
import { isLocked } from '../journal/lock-directory.ts';
import { openJournal } from '../journal/open-journal.ts';
import { askOnce } from '../local/ask-agent.ts';
import { readBootId } from '../machine/machine-state.ts';
import { estimateBootTimes } from '../recording/determine-instants.ts';
import { NotAuthorized } from '../uplink/connect.ts';
import { accountOf } from '../uplink/uplink-settings.ts';

/**
 * Delivers the pending crossings of a replaced unit's journal, with the account of this unit and the id of that journal, so
 * the server does not count crossings again that it already has. The folder is not changed; the delivered position is stored
 * next to this unit's journal. Exit code 0 when all is delivered, else 1. Throws ConfigurationError.
 */
export async function deliver(
  folder: string,
  options: DoorOptions,
  process: NodeJS.Process,
): Promise<number> {
  try {
    return await deliverAll(folder, options, process);
  } catch (error) {
    if (!(error instanceof JournalUnreadable || error instanceof NotAuthorized)) throw error;
    process.stderr.write(`${error.message}\n`);
    return 1;
  }
}

async function deliverAll(folder: string, options: DoorOptions, process: NodeJS.Process): Promise<number> {
  const say = (text: string) => void process.stdout.write(`${text}\n`);
  const signal = stopSignal(process.env);
  const unit = await loadConfig(options.config, process.env);
  const door = chooseDoor(unit, options.door);
  const id = await findOldJournal(folder, door);
  const account = await accountOf(door, unit);
  const isRunning = (await askOnce(door.journal)) !== undefined;
  if (!isRunning && (await isLocked(door.journal))) {
    process.stderr.write('The agent of this unit does not answer yet: try again.\n');
    return 1;
  }
  const way = isRunning ? throughAgent(door.journal) : throughConnection(account, signal);
  const journal = await openOld(folder, id, door, say);
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

/** Everything stays in the folder: delivered crossings are removed neither by age nor by size. */
async function openOld(
  folder: string,
  id: string,
  door: DoorConfig,
  say: (text: string) => void,
): Promise<Journal> {
  const changes = join(`${door.journal}.delivered`, id);
  try {
    return await inUsableJournal(changes, async () =>
      openJournal(folder, {
        files: overlaidFiles(nodeFileSystem, changes),
        serial: door.serial,
        onUnreadable: ([first, last]) => say(`${first} to ${last} cannot be read: trying again`),
        keepFor: Number.POSITIVE_INFINITY,
        boot: await readBootId(),
      }),
    );
  } catch (error) {
    if (!(error instanceof JournalInUse)) throw error;
    throw new ConfigurationError('<journal>', folder, 'a journal that no running agent has open');
  }
}

/** Determines the instants of earlier boots, as a unit does when it starts. Resolves with whether all are known. */
async function haveInstants(journal: Journal, way: DeliveryWay): Promise<boolean> {
  if (journal.undatedBoots.length === 0) return true;
  const present = await way.bootTime();
  if (present === undefined) return false;
  await journal.storeBootTimes(
    estimateBootTimes(journal.undatedBoots, { boot: await readBootId(), ...present }),
  );
  return true;
}
