import type { Crossing } from '@visitor-counter/domain/crossing';
import type { Logger } from '@visitor-counter/service/logger';
import type { Beams } from './beams/beams.ts';
import { openBeams } from './beams/open-beams.ts';
import type { UnitClock } from './clock/unit-clock.ts';
import { progressOf, reportProgress } from './commands/progress.ts';
import type { AgentConfig, DoorConfig } from './config/agent-config.ts';
import { readText } from './config/load-config.ts';
import type { CrossingDetector } from './detector/crossing-detector.ts';
import { openDetector } from './detector/open-detector.ts';
import { blockedAlarm, roomAlarm, sourceAlarm } from './door-alarms.ts';
import type { FileSystem } from './journal/file-system.ts';
import type { Journal } from './journal/journal.ts';
import { openDoorJournal } from './open-door-journal.ts';
import { recordCrossings } from './record-crossings.ts';
import { RemoteControl } from './remote/remote-control.ts';
import { withRemote } from './remote/remote-settings.ts';
import { readRemoteState } from './remote/remote-state.ts';
import { settleWhenRight } from './settle-when-right.ts';
import { Tally } from './tally.ts';
import { heartbeatOf } from './uplink/heartbeat.ts';
import { Uplink } from './uplink/uplink.ts';
import { type Account, defaultUplinkSettings, type UplinkSettings } from './uplink/uplink-settings.ts';
import { version } from './version.ts';

/** What a door is made of beside its own configuration. */
export interface DoorParts {
  readonly unit: AgentConfig;
  readonly files: FileSystem;
  readonly clock: UnitClock;
  readonly uplink: Partial<UplinkSettings>;
  /** Blinks the unit's light. */
  readonly identify: () => void;
  /** Starts this door anew. */
  readonly restart: () => void;
  readonly log: Logger;
}

/** One door that is watched: a device of its own, with its own beams, journal and connection. */
export interface Door {
  readonly serial: string;
  readonly journalFolder: string;
  readonly beams: Beams;
  readonly detector: CrossingDetector;
  readonly journal: Journal;
  readonly uplink: Uplink;
  readonly tally: Tally;
  close(): Promise<void>;
}

/** Starts beams, detector, journal and uplink of a door. Throws ConfigurationError. */
export async function startDoor(configured: DoorConfig, parts: DoorParts): Promise<Door> {
  const { files, clock, log, identify, restart } = parts;
  const folder = configured.journal;
  const remoteState = await readRemoteState(files, folder);
  const { door: config, unit } = withRemote(configured, parts.unit, remoteState.settings, log);
  const account = await accountOf(config, unit);
  const journal = await openDoorJournal(config, { unit, files, clock, log });
  const resumeAfter = journal.recordedAt > 0 ? journal.recordedAt : undefined;
  const beams = await openBeams(config.beams, { resumeAfter, clock: Date.now, ...sourceAlarm(log) });
  const detector = openDetector(config, beams.levels, beams.now() ?? Date.now());
  const uplinkParts = { account, journal, settings: { ...uplinkSettings(unit), ...parts.uplink }, log };
  const tally = new Tally();
  const heartbeat = () =>
    heartbeatOf({
      ...{ journal, tally, beams, detector, version, clock },
      answers: remote.answers,
      uptime: process.uptime(),
    });
  const onTime = (at: number, waited: number) => clock.gatewaySays(at, waited);
  const hearers = {
    config: (payload: Uint8Array) => remote.hearConfig(payload),
    commands: (payload: Uint8Array) => remote.hearCommand(payload),
  };
  const uplink = new Uplink({ ...uplinkParts, heartbeat, onTime, hearers, random: Math.random });
  const remote = new RemoteControl(remoteState, { files, folder, identify, restart, uplink, log });
  const stopSettling = settleWhenRight(journal, clock, log);
  const stopReporting = reportProgress(config.serial, () => progressOf(journal, beams), log);
  const stopAlarm = roomAlarm(journal, log);
  const report = () => void uplink.report();
  const stopRecording = startRecording({ beams, detector, journal, clock, resumeAfter, tally, report }, log);
  return {
    serial: config.serial,
    journalFolder: folder,
    beams,
    detector,
    journal,
    uplink,
    tally,
    close: async () => {
      await stopRecording();
      stopAlarm();
      stopSettling();
      await uplink.close();
      await journal.close();
      stopReporting();
    },
  };
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
  readonly clock: UnitClock;
  readonly resumeAfter: number | undefined;
  readonly tally: Tally;
  readonly report: () => void;
}

/**
 * Records until the returned function is called. A unit that cannot record must not look as though it did:
 * when the source or the journal fails, the process ends, and a new start repairs the journal.
 */
function startRecording({ tally, report, ...parts }: Recording, log: Logger): () => Promise<void> {
  const stopping = new AbortController();
  const alarm = blockedAlarm(parts.detector, log, report);
  const onCrossings = (crossings: readonly Crossing[]) => tally.add(crossings);
  const onGivenUp = (crossings: number) => {
    tally.givenUp += crossings;
    log.error({ crossings, all: tally.givenUp }, 'crossings lost: no room on the disk or in memory');
  };
  const recording = { ...parts, onBatch: alarm, onCrossings, onGivenUp };
  const ended = recordCrossings(recording, stopping.signal).catch((error: unknown) => {
    log.fatal({ err: error }, 'crossings cannot be recorded any more');
    process.exit(1);
  });
  return async () => {
    stopping.abort();
    await ended;
  };
}
