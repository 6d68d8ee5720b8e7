import { dirname } from 'node:path';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import { type AgentConfig, canWait, type DoorConfig } from '../config/agent-config.ts';
import type { Journal } from '../journal/journal.ts';
import { inUsableJournal, JournalInUse, JournalOfAnotherDevice } from '../journal/journal-errors.ts';
import type { JournalOptions } from '../journal/journal-state.ts';
import { openJournal } from '../journal/open-journal.ts';
import { endOf } from '../journal/segment-format.ts';
import { diskRoom } from '../machine/machine-state.ts';
import type { DoorParts } from './start-door.ts';

/** 1 MiB: 32,768 crossings. */
const reservedSegments = 8;

/** Opens the journal of a door, and logs what of it cannot be read. Throws ConfigurationError. */
export async function openDoorJournal(
  config: DoorConfig,
  { unit, files, clock, reading, log }: Pick<DoorParts, 'unit' | 'files' | 'clock' | 'reading' | 'log'>,
): Promise<Journal> {
  try {
    const { limit, keepFor } = journalSettings(unit);
    const options: JournalOptions = {
      limit,
      keepFor,
      keepWithin: Math.min(limit, await diskShare(config.journal)),
      files,
      boot: clock.boot,
      serial: config.serial,
      reserve: reservedSegments,
      bootTime: () => clock.bootTime,
      /* A source that waits plays the same people again after a restart, unless the journal has them. */
      deliverHeld: !canWait(config.beams),
      onProblem: (error: unknown) =>
        log.warn({ err: error }, 'journal file not stored or removed; retried later'),
      onRoomMade: (deleted) =>
        log.warn(
          { range: [deleted.first, endOf(deleted)], until: deleted.lastAt },
          'acknowledged crossings deleted to make room: a restored server cannot request them again',
        ),
      onUnreadable: (range) => log.warn({ range }, 'journal unreadable; retrying'),
      ...reading,
    };
    const journal = await inUsableJournal(config.journal, () => openJournal(config.journal, options));
    if (journal.setAside.length > 0)
      log.error({ files: journal.setAside }, 'unreadable journal files set aside');
    if (journal.damagedClocks.length > 0) logDamagedClocks(journal.damagedClocks, log);
    const reportLost = () =>
      log.error({ lost: journal.lost }, 'sequences of the journal lost: unreadable, or never on the disk');
    if (journal.lost.length > 0) reportLost();
    journal.changes.lost.add(reportLost);
    return journal;
  } catch (error) {
    const wrong = (expected: string) => new ConfigurationError('journal', config.journal, expected);
    if (error instanceof JournalInUse) throw wrong('a folder that no other agent has open');
    if (error instanceof JournalOfAnotherDevice)
      throw wrong(
        `a journal of ${config.serial}: this one is of ${error.serial}, and would be counted twice`,
      );
    throw error;
  }
}

function logDamagedClocks(files: readonly string[], log: DoorParts['log']): void {
  if (files.length === 1) log.warn({ files }, 'clocks file damaged; its copy is used');
  else
    log.error(
      { files },
      'both clocks files damaged: the times of crossings from before the clock was set are estimated again; ' +
        'the server keeps the times that it has stored',
    );
}

function journalSettings({ keep = {} }: AgentConfig): { readonly limit: number; readonly keepFor: number } {
  const { days = 30, megabytes = 256 } = keep;
  return { limit: megabytes * 1_048_576, keepFor: days * 86_400_000 };
}

/** The share of the disk for acknowledged crossings, which are stored so that they can be sent again. */
const share = 0.1;

/** How many bytes that share has on the disk of a folder, which need not exist yet. */
function diskShare(folder: string): Promise<number> {
  const parent = dirname(folder);
  return diskRoom(folder).then(
    ({ diskSize }) => diskSize * share,
    () => (parent === folder ? Number.POSITIVE_INFINITY : diskShare(parent)),
  );
}
