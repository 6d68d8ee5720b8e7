import { once } from 'node:events';
import type { Logger } from '@visitor-counter/service/logger';
import type { Beams } from '../beams/beams.ts';
import { openBeams } from '../beams/open-beams.ts';
import { traceLines } from '../beams/trace.ts';
import { displayedOffset, monotonicNow, recordedMoment } from '../clock/time.ts';
import type { UnitClock } from '../clock/unit-clock.ts';
import { canWait, type DoorConfig } from '../config/agent-config.ts';
import { Detector } from '../detector/detector.ts';
import type { DiagnosedUnit } from '../diagnosis/diagnose.ts';
import { type Journal, openJournal } from '../journal/journal.ts';
import type { JournalOptions } from '../journal/journal-settings.ts';
import { viewOf } from '../local/door-view.ts';
import { serveLocal } from '../local/serve-local.ts';
import { determineInstants } from '../recording/determine-instants.ts';
import type { Door, EdgeListener } from '../recording/door.ts';
import { beamsAlarm, reportProgress, sourceAlarm, storageAlarm, Tally } from '../recording/door-reports.ts';
import { startRecording } from '../recording/start-recording.ts';
import { RemoteControl } from '../remote/remote-control.ts';
import { withRemote } from '../remote/remote-settings.ts';
import { type RemoteState, readRemoteState } from '../remote/remote-state.ts';
import { requestUpdate, updateReport } from '../update/update.ts';
import { Uplink } from '../uplink/uplink.ts';
import { accountOf, type UplinkSettings, uplinkSettings } from '../uplink/uplink-settings.ts';
import { heartbeatOf } from './heartbeat.ts';

/** What a door uses in addition to its own configuration. */
export interface DoorParts extends DiagnosedUnit {
  readonly clock: UnitClock;
  readonly uplink: Partial<UplinkSettings>;
  /** How the journal is written, where that differs from the configuration. */
  readonly journal: JournalOptions;
  /** Blinks the unit's light. */
  readonly identify: () => void;
  /** Restarts the doors of this unit. */
  readonly restart: () => void;
  readonly log: Logger;
}

/** A door that can be closed. */
export interface RunningDoor extends Door {
  close(): Promise<void>;
}

/** Starts beams, detector, journal and uplink of a door. Throws ConfigurationError. */
export async function startDoor(configured: DoorConfig, parts: DoorParts): Promise<RunningDoor> {
  /* Before the journal is open, since people walk meanwhile. */
  const beams = await openBeams(configured.beams, sourceAlarm(parts.log));
  try {
    return await startWith(beams, configured, parts);
  } catch (error) {
    /* Releases the lines. */
    for await (const _ of beams.edges(AbortSignal.abort()));
    throw error;
  }
}

async function startWith(beams: Beams, configured: DoorConfig, parts: DoorParts): Promise<RunningDoor> {
  const { clock, log } = parts;
  const remoteState = await readRemoteState(configured.journal);
  const { door: config, unit } = withRemote(configured, parts.unit, remoteState.settings, log);
  const account = await accountOf(config, unit);
  const journal = await openDoorJournal(config, { ...parts, unit });
  const resumeAfter = journal.recordedAt > 0 ? journal.recordedAt : undefined;
  const detector = new Detector(config, beams.levels, beams.now() ?? recordedMoment(Date.now()));
  const edgeListeners = new Set<EdgeListener>();
  const watched = { config, clock, beams, detector, journal, tally: new Tally(), edgeListeners };
  let heartbeats = 0;
  const answers = () => ({ ...remote.answers, ...updateReport(parts.env) });
  const uplink = new Uplink({
    account: { ...account, isClockSet: () => clock.synced },
    journal,
    settings: { ...uplinkSettings(unit), ...parts.uplink },
    heartbeat: () => heartbeatOf(watched, answers(), heartbeats++),
    onTime: (at, waited) => clock.receiveGatewayTime(at, waited),
    handlers: {
      config: (payload) => remote.receiveConfig(payload),
      commands: (payload) => remote.receiveCommand(payload),
    },
    log,
  });
  const door = { ...watched, uplink };
  const remote = remoteOf(door, remoteState, { ...parts, unit });
  const stopDetermining = determineInstants(journal, clock, log);
  const stopReporting = reportProgress(config.serial, journal, beams, log);
  const report = () => void uplink.report();
  const stopAlarm = storageAlarm(journal, log, report);
  const checkBeams = beamsAlarm(beams, detector, log, report);
  const wait = canWait(config.beams);
  const stopRecording = startRecording({ ...watched, canWait: wait, resumeAfter, checkBeams, log });
  const stopServing = await serveDoor(door, parts);
  const close = async () => {
    await stopServing();
    await stopRecording();
    stopAlarm();
    await stopDetermining();
    remote.stop();
    await uplink.close();
    /* Orders arrive until the connection has ended. */
    await remote.processed();
    await journal.close();
    const { held: lost } = journal;
    if (lost > 0) log.error({ crossings: lost }, 'crossings lost: only in memory and not delivered');
    stopReporting();
  };
  return { ...door, close };
}

async function openDoorJournal(
  config: DoorConfig,
  { unit, clock, journal, log }: DoorParts,
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

/** Executes the server's settings and commands. */
function remoteOf(door: Door, state: RemoteState, parts: DoorParts): RemoteControl {
  const diagnose = async (id: number) => {
    /* A small unit needs its memory for counting. */
    const { diagnose: diagnoseDoor } = await import('../diagnosis/diagnose.ts');
    return diagnoseDoor(id, parts, door);
  };
  const order = (version: string | null) => requestUpdate(version, parts.env);
  const folder = door.config.journal;
  return new RemoteControl({ ...parts, ...door, state, folder, diagnose, requestUpdate: order });
}

/** Serves the control socket. The unit counts even without one, for example on a read-only disk. */
async function serveDoor(door: Door, { identify, log }: DoorParts): Promise<() => Promise<void>> {
  const edges = (send: (lines: string) => void) => sendTrace(door, send);
  const local = { view: () => viewOf(door), identify, edges, journal: door.journal };
  try {
    return await serveLocal(door.config.journal, local);
  } catch (error) {
    log.error({ err: error }, 'control socket unavailable: status, watch and doctor cannot reach the agent');
    return async () => {};
  }
}

/** Sends the present levels and then each edge, as lines of a trace, until the returned function is called. */
function sendTrace({ beams, detector, edgeListeners }: Door, send: (lines: string) => void): () => void {
  /* One conversion for all: a wall clock that is set meanwhile must not reorder the trace. */
  const offset = displayedOffset(beams.stampClock);
  const listener: EdgeListener = (batch) => send(traceLines(batch, offset));
  const { a, b } = detector.beams;
  const levels = { a: a?.broken, b: b?.broken };
  listener([{ at: beams.now() ?? monotonicNow(), levels }]);
  edgeListeners.add(listener);
  return () => edgeListeners.delete(listener);
}
