import type { Logger } from '@visitor-counter/service/logger';
import type { Running } from '@visitor-counter/service/run-service';
import type { Environment } from '@visitor-counter/service/settings/environment';
import { loadBeams } from '../beams/open-beams.ts';
import { ntpSynchronised, readBootId } from '../clock/machine-clock.ts';
import { monotonicNow } from '../clock/time.ts';
import { type ClockParts, UnitClock } from '../clock/unit-clock.ts';
import type { DoorConfig } from '../config/agent-config.ts';
import { requireSafeServer } from '../config/check-config.ts';
import { loadConfig } from '../config/load-config.ts';
import type { DiagnosedAgent } from '../diagnosis/diagnose.ts';
import type { RecentLines } from '../diagnosis/recent-lines.ts';
import type { GpioTools } from '../gpio/gpio-tools.ts';
import type { FileSystem } from '../journal/file-system.ts';
import { nodeFileSystem } from '../journal/file-system.ts';
import type { RetrySettings } from '../journal/retries.ts';
import { viewOfDoor } from '../local/door-view.ts';
import { type RelayedChannel, serveLocal } from '../local/serve-local.ts';
import type { UplinkSettings } from '../uplink/uplink-settings.ts';
import { RestartableDoor } from './restartable-door.ts';
import { startDoor } from './start-door.ts';
import { startLight } from './status-light.ts';

/** Parts that tests replace, and that a supervised process adds. */
export interface AgentParts {
  /** The file operations of the journals. */
  readonly files?: FileSystem;
  readonly uplink?: Partial<UplinkSettings>;
  /** For how long reads of the disk are retried (20 s where it reports errors). */
  readonly reading?: Partial<RetrySettings>;
  readonly clock?: Partial<ClockParts>;
  /** Ends the process, if a supervisor starts it again; otherwise the command `restart` restarts the door. */
  readonly restart?: () => void;
  /** The last lines of the log, for a diagnosis. */
  readonly recentLines?: RecentLines;
  /** Awaited when everything is loaded, before lines, journals and connections are opened. */
  readonly mayBegin?: () => Promise<void>;
}

export interface RunningAgent extends Running {
  /** How many crossings are only in memory because the disk cannot store them. */
  readonly held: number;
  /** Whether it can end now without a loss. */
  readonly isReleasable: boolean;
  /** Releases lines, journals and connections immediately: pending crossings stay in the journals. */
  release(): Promise<void>;
}

/** The machine's clock. Every 5 s we check whether NTP has synchronised it; after 5 min the gateway's time is used. */
const machineClock = {
  monotonic: monotonicNow,
  wall: Date.now,
  synchronised: ntpSynchronised,
  askEvery: 5_000,
  patience: 300_000,
};

/** Starts every door of a configuration. Throws ConfigurationError after closing all doors. */
export async function startAgent(
  configFile: string,
  env: Environment,
  log: Logger,
  {
    files = nodeFileSystem,
    uplink = {},
    reading = {},
    clock: clockParts = {},
    restart,
    recentLines,
    mayBegin,
  }: AgentParts = {},
): Promise<RunningAgent> {
  const unit = await loadConfig(configFile, env);
  requireSafeServer(unit);
  const tools = new Map<DoorConfig, GpioTools | undefined>();
  for (const door of unit.doors) tools.set(door, await loadBeams(door.beams));
  const clock = await UnitClock.start({ ...machineClock, boot: await readBootId(), ...clockParts });
  const doors: RestartableDoor[] = [];
  const others: (() => Promise<void>)[] = [];
  let identify = () => {};
  const end = async (endDoor: (door: RestartableDoor) => Promise<void>) => {
    await Promise.all([...others.map((stop) => stop()), ...doors.map(endDoor)]);
    clock.close();
  };
  const close = () => end((door) => door.close());
  try {
    await mayBegin?.();
    for (const config of unit.doors) {
      const doorLog = unit.doors.length === 1 ? log : log.child({ serial: config.serial });
      const diagnose = (id: number) =>
        diagnoseDoor(id, doors, config, { configFile, env, unit, recent: recentLines });
      const parts = {
        unit,
        diagnose,
        files,
        clock,
        uplink,
        reading,
        identify: () => identify(),
        log: doorLog,
      };
      const start = (restartDoor: () => void) => {
        const opened = tools.get(config);
        // Other tools may be installed by the time of a restart.
        tools.delete(config);
        return startDoor(config, { ...parts, tools: opened, restartDoor, restart: restart ?? restartDoor });
      };
      doors.push(await RestartableDoor.start(start, doorLog));
    }
    const light = startLight(unit.light, () => doors.map(({ door }) => door), log);
    identify = () => light.identify();
    others.push(() => light.close());
    for (const kept of doors) {
      others.push(await serveStatus(kept, identify, clock, log));
    }
  } catch (error) {
    await close();
    throw error;
  }
  return {
    ready: readyDoors(doors),
    get held() {
      return doors.reduce((sum, { door }) => sum + door.held, 0);
    },
    get isReleasable() {
      return doors.every(({ door }) => door.isReleasable);
    },
    close,
    release: () => end((door) => door.release()),
  };
}

/** Loads the modules of a diagnosis only when the server requests one: a small unit needs its memory for counting. */
async function diagnoseDoor(
  id: number,
  doors: readonly RestartableDoor[],
  config: DoorConfig,
  agent: DiagnosedAgent,
): Promise<string> {
  const door = doors.find(({ door }) => door.serial === config.serial)?.door;
  if (door === undefined) throw new Error('the unit is still starting');
  const { diagnose } = await import('../diagnosis/diagnose.ts');
  return diagnose(id, agent, { config, view: viewOfDoor(door), journal: door.journal.id });
}

/** Without a control socket, on a read-only disk for example, the unit still counts. */
function serveStatus(
  kept: RestartableDoor,
  identify: () => void,
  clock: UnitClock,
  log: Logger,
): Promise<() => Promise<void>> {
  const view = () => viewOfDoor(kept.door);
  const relay = async (channel: RelayedChannel, payload: string) => {
    const { relayTo } = await import('../local/relay-to.ts');
    return relayTo(kept.door.uplink, channel, payload);
  };
  const parts = { view, identify, relay, bootTime: () => clock.bootTime };
  return serveLocal(kept.door.journalFolder, parts).catch((error: unknown) => {
    log.error({ err: error }, 'control socket unavailable: status, watch and doctor cannot reach the agent');
    return async () => {};
  });
}

/** For a supervisor: the state of the door, or a list if there are several. */
function readyDoors(doors: readonly RestartableDoor[]): Running['ready'] {
  const ready = doors.map(({ door: { serial, journal } }) => ({
    serial,
    journal: journal.id,
    recorded: journal.recorded,
  }));
  return ready.length === 1 ? { ...ready[0] } : { doors: ready };
}
