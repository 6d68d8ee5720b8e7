import type { Logger } from '@visitor-counter/service/logger';
import type { Beams } from '../beams/beams.ts';
import { openBeams } from '../beams/open-beams.ts';
import { ReadAhead } from '../beams/read-ahead.ts';
import { recordedMoment } from '../clock/time.ts';
import type { UnitClock } from '../clock/unit-clock.ts';
import { type AgentConfig, canWait, type DoorConfig } from '../config/agent-config.ts';
import { Detector } from '../detector/detector.ts';
import type { DiagnosedAgent } from '../diagnosis/diagnose.ts';
import type { Journal } from '../journal/journal.ts';
import { inUsableJournal } from '../journal/journal-errors.ts';
import type { JournalOptions } from '../journal/journal-settings.ts';
import { watchMachine } from '../machine/machine-state.ts';
import { determineInstants } from '../recording/determine-instants.ts';
import { beamsAlarm, reportProgress, sourceAlarm, storageAlarm, Tally } from '../recording/door-reports.ts';
import { startRecording } from '../recording/start-recording.ts';
import { withRemote } from '../remote/remote-settings.ts';
import { readRemoteState } from '../remote/remote-state.ts';
import type { Uplink } from '../uplink/uplink.ts';
import { accountOf, type UplinkSettings } from '../uplink/uplink-settings.ts';
import { openDoorJournal } from './open-door-journal.ts';
import { startUplink } from './start-uplink.ts';

/** The parts of a door in addition to its own configuration. */
export interface DoorParts {
  readonly unit: AgentConfig;
  readonly clock: UnitClock;
  readonly uplink: Partial<UplinkSettings>;
  /** How the journal is written, where that differs from the configuration. */
  readonly journal: JournalOptions;
  /** Blinks the unit's light. */
  readonly identify: () => void;
  /** Restarts this door. */
  readonly restartDoor: () => void;
  /** Executes the command `restart`. */
  readonly restart: () => void;
  /** The parts of a diagnosis in addition to the door. */
  readonly diagnosed: Omit<DiagnosedAgent, 'unit'>;
  readonly log: Logger;
}

/** A running door: a device with its own beams, journal and connection. */
export interface Door {
  readonly serial: string;
  readonly journalFolder: string;
  readonly beams: Beams;
  readonly detector: Detector;
  readonly journal: Journal;
  readonly uplink: Uplink;
  readonly tally: Tally;
  close(): Promise<void>;
}

/**
 * Starts beams, detector, journal and uplink of a door. Throws ConfigurationError. A source that cannot wait is read
 * before the journal is open: opening a large one can take minutes, and people walk meanwhile.
 */
export async function startDoor(configured: DoorConfig, parts: DoorParts): Promise<Door> {
  const ahead = canWait(configured.beams) ? undefined : new ReadAhead(await open(configured, parts));
  try {
    return await startReading(ahead, configured, parts);
  } catch (error) {
    await ahead?.close();
    throw error;
  }
}

function open({ beams }: DoorConfig, { log }: DoorParts, resumeAfter?: number): Promise<Beams> {
  return openBeams(beams, { resumeAfter, ...sourceAlarm(log) });
}

/** Starts the door; `ahead` is read already, other beams are opened when the journal is open. */
async function startReading(
  ahead: Beams | undefined,
  configured: DoorConfig,
  parts: DoorParts,
): Promise<Door> {
  const { clock, log } = parts;
  const remoteState = await inUsableJournal(configured.journal, () => readRemoteState(configured.journal));
  const { door: config, unit } = withRemote(configured, parts.unit, remoteState.settings, log);
  const account = await accountOf(config, unit);
  const journal = await openDoorJournal(config, { ...parts, unit });
  const resumeAfter = journal.recordedAt > 0 ? journal.recordedAt : undefined;
  const beams = ahead ?? (await open(config, parts, resumeAfter));
  const detector = new Detector(config, beams.levels, beams.now() ?? recordedMoment(Date.now()));
  const watched = { beams, detector, journal, tally: new Tally() };
  const machine = watchMachine(config.journal);
  const connection = startUplink({
    ...watched,
    account,
    machine,
    config,
    remoteState,
    parts: { ...parts, unit },
  });
  const stopDetermining = determineInstants(journal, clock, log);
  const stopReporting = reportProgress(config.serial, journal, beams, log);
  const { uplink } = connection;
  const report = () => void uplink.report();
  const stopAlarm = storageAlarm(journal, log, report);
  const checkBeams = beamsAlarm(beams, detector, log, report);
  const stopRecording = startRecording({
    ...watched,
    canWait: canWait(config.beams),
    clock,
    resumeAfter,
    checkBeams,
    log,
  });
  const close = async () => {
    await stopRecording();
    stopAlarm();
    await stopDetermining();
    await connection.close();
    machine.close();
    await journal.close();
    const { held: lost } = journal;
    if (lost > 0) log.error({ crossings: lost }, 'crossings lost: only in memory and not delivered');
    stopReporting();
  };
  return { ...watched, serial: config.serial, journalFolder: config.journal, uplink, close };
}
