import type { Heartbeat } from '@visitor-counter/wire/heartbeat-message';
import type { DoorConfig } from '../config/agent-config.ts';
import type { Journal } from '../journal/journal.ts';
import { rangesToReport } from '../journal/lost-ranges.ts';
import { viewOf } from '../local/door-view.ts';
import type { MachineWatch } from '../machine/machine-state.ts';
import { version } from '../machine/machine-state.ts';
import type { Tally } from '../recording/door-reports.ts';
import { RemoteControl } from '../remote/remote-control.ts';
import type { RemoteState } from '../remote/remote-state.ts';
import { Uplink } from '../uplink/uplink.ts';
import { type Account, uplinkSettings } from '../uplink/uplink-settings.ts';
import type { Door, DoorParts } from './start-door.ts';

/** The parts that a door's uplink reports about, and that the server's commands and settings change. */
interface UplinkOf extends Pick<Door, 'journal' | 'beams' | 'detector' | 'tally'> {
  readonly account: Account;
  readonly machine: MachineWatch;
  readonly config: DoorConfig;
  readonly remoteState: RemoteState;
  /** The remote settings in its `unit` override those of the file. */
  readonly parts: DoorParts;
}

/** The connection of a door with its server. */
interface DoorUplink {
  readonly uplink: Uplink;
  /** Tries for a bounded time to deliver pending crossings. */
  close(): Promise<void>;
}

/** Connects a door with its server: delivers its journal, reports, and executes the server's commands. */
export function startUplink(door: UplinkOf): DoorUplink {
  const { account, config, remoteState, parts, journal } = door;
  const { unit, clock, identify, restartDoor, restart, log } = parts;
  const settings = { ...uplinkSettings(unit), ...parts.uplink };
  let heartbeats = 0;
  const uplink = new Uplink({
    account: { ...account, isClockSet: () => clock.synced },
    journal,
    settings,
    heartbeat: () => heartbeatOf(door, remote.answers, heartbeats++),
    onTime: (at, waited) => clock.receiveGatewayTime(at, waited),
    handlers: {
      config: (payload) => remote.receiveConfig(payload),
      commands: (payload) => remote.receiveCommand(payload),
    },
    log,
  });
  const diagnose = async (id: number) => {
    /* A small unit needs its memory for counting. */
    const { diagnose: diagnoseDoor } = await import('../diagnosis/diagnose.ts');
    const view = viewOf({ ...door, serial: config.serial, uplink });
    return diagnoseDoor(id, { ...parts.diagnosed, unit }, { config, view, journal: journal.id });
  };
  const remote = new RemoteControl({
    state: remoteState,
    folder: config.journal,
    uplink,
    journal,
    diagnose,
    identify,
    restartDoor,
    restart,
    log,
  });
  const close = async () => {
    remote.stop();
    await uplink.close();
    /* Orders arrive until the connection has ended. */
    await remote.processed();
  };
  return { uplink, close };
}

/** The most ranges of lost sequences in one heartbeat, since a message has a bounded size. */
const mostLost = 200;

/**
 * The unit's report about itself; `sent` is the number of earlier heartbeats. Fields in addition to those of
 * `HeartbeatMessage`: `paths`, the facts that were detected in addition to crossings; `lines`, the state of real lines, of
 * which the server reads `problem`, and `flickering`; `alone` and `blockedMs` of each beam.
 */
function heartbeatOf(
  { journal, tally, beams, detector, machine, parts: { clock } }: UplinkOf,
  answers: RemoteControl['answers'],
  sent: number,
): Heartbeat {
  const lost = rangesToReport(journal.lost, sent, mostLost);
  const { facts: paths, flickering } = detector;
  const lines = { ...beams.health, ...(flickering && { flickering }) };
  const observed = { paths, ...((beams.health || flickering) && { lines }) };
  return {
    at: clock.now(),
    uptime: Math.round(process.uptime()),
    version,
    journal: journal.id,
    recorded: journal.recorded,
    acknowledged: journal.acknowledged,
    /* The edges of a recording have their own instants and need no clock. */
    clock: clock.synced || beams.stampClock === 'epoch' ? 'synced' : 'unsynced',
    beams: Object.entries(detector.beams).map(([name, beam]) => ({
      name,
      ...beam,
      since: clock.instantAt(beam.since, beams.stampClock).at,
    })),
    ...machine.state,
    ...(lost.length > 0 && { lost: lost.map((range): [string, number, number] => [...range]) }),
    ...answers,
    ...storageOf(journal, tally, sent),
    ...observed,
  };
}

function storageOf(
  { id, journals, storageProblem, held }: Journal,
  { givenUp }: Tally,
  sent: number,
): Partial<Heartbeat> {
  const others = journals.filter(({ name, recorded }) => name !== id && recorded > 0);
  const { name: journal = '', recorded = 0, acknowledged = 0 } = others[sent % others.length] ?? {};
  return {
    ...(storageProblem && { storage: storageProblem.problem }),
    ...(held > 0 && { held }),
    ...(recorded > 0 && { volatile: { journal, recorded, acknowledged } }),
    ...(givenUp > 0 && { givenUp }),
  };
}
