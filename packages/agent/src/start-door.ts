import type { Crossing } from '@visitor-counter/domain/crossing';
import { ConfigurationError } from '@visitor-counter/service/configuration-error';
import type { Logger } from '@visitor-counter/service/logger';
import type { Beams } from './beams/beams.ts';
import { openBeams } from './beams/open-beams.ts';
import { progressOf, reportProgress } from './commands/progress.ts';
import type { AgentConfig, DoorConfig } from './config/agent-config.ts';
import { readText } from './config/load-config.ts';
import type { CrossingDetector } from './detector/crossing-detector.ts';
import { openDetector } from './detector/open-detector.ts';
import { blockedAlarm, sourceAlarm } from './door-alarms.ts';
import type { FileSystem } from './journal/file-system.ts';
import { type Journal, openJournal } from './journal/journal.ts';
import { JournalInUse } from './journal/journal-errors.ts';
import { recordCrossings } from './record-crossings.ts';
import { Tally } from './tally.ts';
import { heartbeatOf } from './uplink/heartbeat.ts';
import { Uplink } from './uplink/uplink.ts';
import { type Account, defaultUplinkSettings, type UplinkSettings } from './uplink/uplink-settings.ts';
import { version } from './version.ts';

/** What a door is made of beside its own configuration. */
export interface DoorParts {
  readonly unit: AgentConfig;
  readonly files: FileSystem;
  readonly uplink: Partial<UplinkSettings>;
  readonly log: Logger;
}

/** One door that is watched: a device of its own, with its own beams, journal and connection. */
export interface Door {
  readonly serial: string;
  readonly beams: Beams;
  readonly detector: CrossingDetector;
  readonly journal: Journal;
  readonly uplink: Uplink;
  readonly tally: Tally;
  close(): Promise<void>;
}

/** Starts beams, detector, journal and uplink of a door. Throws ConfigurationError. */
export async function startDoor(
  config: DoorConfig,
  { unit, files, uplink: settings, log }: DoorParts,
): Promise<Door> {
  const account = await accountOf(config, unit);
  const journal = await openJournalOf(config, files, log);
  const resumeAfter = journal.recordedAt > 0 ? journal.recordedAt : undefined;
  const beams = await openBeams(config.beams, { resumeAfter, clock: Date.now, ...sourceAlarm(log) });
  const detector = openDetector(config, beams.levels, beams.now() ?? Date.now());
  const uplinkParts = { account, journal, settings: { ...uplinkSettings(unit), ...settings }, log };
  const heartbeat = () =>
    heartbeatOf({ journal, beams, detector, version, now: Date.now(), uptime: process.uptime() });
  const uplink = new Uplink({ ...uplinkParts, heartbeat, random: Math.random });
  const stopReporting = reportProgress(config.serial, () => progressOf(journal, beams), log);
  const tally = new Tally();
  const onCrossings = (crossings: readonly Crossing[]) => tally.add(crossings);
  const stopRecording = startRecording({ beams, detector, journal, resumeAfter, onCrossings }, log);
  return {
    serial: config.serial,
    beams,
    detector,
    journal,
    uplink,
    tally,
    close: async () => {
      await stopRecording();
      await uplink.close();
      await journal.close();
      stopReporting();
    },
  };
}

async function openJournalOf(config: DoorConfig, files: FileSystem, log: Logger): Promise<Journal> {
  try {
    const journal = await openJournal(config.journal, {
      files,
      onProblem: (error) => log.warn({ err: error }, 'the acknowledged position could not be stored'),
    });
    if (journal.setAside.length > 0)
      log.error({ files: journal.setAside }, 'unreadable journal files set aside');
    if (journal.lost.length > 0) log.error({ lost: journal.lost }, 'sequences of the journal cannot be read');
    return journal;
  } catch (error) {
    if (!(error instanceof JournalInUse)) throw error;
    throw new ConfigurationError('journal', config.journal, 'a folder that no other agent has open');
  }
}

async function accountOf({ serial, secret }: DoorConfig, { server, ca }: AgentConfig): Promise<Account> {
  return { server, serial, secret, ...(ca === undefined ? {} : { ca: await readText(ca, 'ca') }) };
}

function uplinkSettings({ uplink = {} }: AgentConfig): UplinkSettings {
  const { heartbeatSeconds, commitSeconds, ...rest } = uplink;
  const heartbeat = heartbeatSeconds === undefined ? {} : { heartbeatEvery: heartbeatSeconds * 1_000 };
  const commit = commitSeconds === undefined ? {} : { commitWithin: commitSeconds * 1_000 };
  return { ...defaultUplinkSettings, ...rest, ...heartbeat, ...commit };
}

interface Recording {
  readonly beams: Beams;
  readonly detector: CrossingDetector;
  readonly journal: Journal;
  readonly resumeAfter: number | undefined;
  readonly onCrossings: (crossings: readonly Crossing[]) => void;
}

/**
 * Records until the returned function is called. A unit that cannot record must not look as though it did:
 * when the source or the journal fails, the process ends, and a new start repairs the journal.
 */
function startRecording(parts: Recording, log: Logger): () => Promise<void> {
  const stopping = new AbortController();
  const alarm = blockedAlarm(parts.detector, log);
  const ended = recordCrossings({ ...parts, onBatch: alarm }, stopping.signal).catch((error: unknown) => {
    log.fatal({ err: error }, 'crossings cannot be recorded any more');
    process.exit(1);
  });
  return async () => {
    stopping.abort();
    await ended;
  };
}
