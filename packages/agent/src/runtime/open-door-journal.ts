import { once } from 'node:events';

import { canWait, type DoorConfig } from '../config/agent-config.ts';
import { type Journal, openJournal } from '../journal/journal.ts';
import type { JournalOptions } from '../journal/journal-settings.ts';
import type { DoorParts } from './start-door.ts';

/** Opens the journal of a door. Throws ConfigurationError. */
export async function openDoorJournal(
  config: DoorConfig,
  { unit, clock, journal, log }: Pick<DoorParts, 'unit' | 'clock' | 'journal' | 'log'>,
): Promise<Journal> {
  const options: JournalOptions = {
    keepFor: (unit.keep?.days ?? 30) * 86_400_000,
    boot: clock.boot,
    serial: config.serial,
    holds: !canWait(config.beams),
    log,
    ...journal,
  };
  const opened = await openJournal(config.journal, options);
  /* A source that waits continues after the last crossing on the disk: if that is not known, it would play people twice. */
  while (!options.holds && opened.storageProblem) await once(opened.changes, 'storage');
  if (opened.lost.length > 0) log.error({ lost: opened.lost }, 'sequences of the journal lost: unreadable');
  return opened;
}
