import { ConfigurationError } from '@visitor-counter/service/configuration-error';
import type { AgentConfig, DoorConfig } from './config/agent-config.ts';
import { type Journal, type JournalOptions, openJournal } from './journal/journal.ts';
import { JournalInUse } from './journal/journal-errors.ts';
import type { DoorParts } from './start-door.ts';
import { inUsableJournal } from './usable-journal.ts';

/** Opens the journal of a door, and logs what of it cannot be read. Throws ConfigurationError. */
export async function openDoorJournal(
  config: DoorConfig,
  { unit, files, clock, log }: Pick<DoorParts, 'unit' | 'files' | 'clock' | 'log'>,
): Promise<Journal> {
  try {
    const options: JournalOptions = {
      ...journalSettings(unit),
      files,
      boot: clock.boot,
      clock: () => clock.now(),
      onProblem: (error) => log.warn({ err: error }, 'the acknowledged position could not be stored'),
    };
    const journal = await inUsableJournal(config.journal, () => openJournal(config.journal, options));
    if (journal.setAside.length > 0)
      log.error({ files: journal.setAside }, 'unreadable journal files set aside');
    if (journal.lost.length > 0) log.error({ lost: journal.lost }, 'sequences of the journal cannot be read');
    return journal;
  } catch (error) {
    if (!(error instanceof JournalInUse)) throw error;
    throw new ConfigurationError('journal', config.journal, 'a folder that no other agent has open');
  }
}

function journalSettings({ keep = {} }: AgentConfig): Pick<JournalOptions, 'limit' | 'keepFor'> {
  const { days = 7, megabytes = 256 } = keep;
  return { limit: megabytes * 1_048_576, keepFor: days * 86_400_000 };
}
