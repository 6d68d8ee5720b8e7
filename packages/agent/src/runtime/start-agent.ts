import { isClockSynchronised } from '@visitor-counter/service/clock-synchronised';
import type { Logger } from '@visitor-counter/service/logger';
import type { Running } from '@visitor-counter/service/run-service';
import type { Environment } from '@visitor-counter/service/settings/environment';
import { Mutex } from '../async/concurrency.ts';
import { monotonicNow } from '../clock/time.ts';
import { type ClockParts, UnitClock } from '../clock/unit-clock.ts';
import { requireSafeServer } from '../config/check-config.ts';
import { loadConfig } from '../config/load-config.ts';
import type { RecentLines } from '../diagnosis/recent-lines.ts';
import type { JournalOptions } from '../journal/journal-settings.ts';
import { viewOf } from '../local/door-view.ts';
import { serveLocal } from '../local/serve-local.ts';
import { readBootId } from '../machine/machine-state.ts';
import type { UplinkSettings } from '../uplink/uplink-settings.ts';
import { type Door, startDoor } from './start-door.ts';
import { startLight } from './status-light.ts';

/** Parts that tests replace, and that a supervised process adds. */
export interface AgentParts {
  readonly journal?: JournalOptions;
  readonly uplink?: Partial<UplinkSettings>;
  readonly clock?: Partial<ClockParts>;
  /** Ends the process, if a supervisor starts it again; otherwise the command `restart` restarts the door. */
  readonly restart?: () => void;
  /** The last lines of the log, for a diagnosis. */
  readonly recentLines?: RecentLines;
}

/** The machine's clock. Every 5 s we check whether NTP has synchronised it; after 5 min the gateway's time is used. */
const machineClock = {
  monotonic: monotonicNow,
  wall: Date.now,
  synchronised: isClockSynchronised,
  pollInterval: 5_000,
  gatewayTimeAfter: 300_000,
};

/** Starts every door of a configuration. Throws ConfigurationError after closing all doors. */
export async function startAgent(
  configFile: string,
  env: Environment,
  log: Logger,
  parts: AgentParts = {},
): Promise<Running> {
  const { journal = {}, uplink = {}, recentLines } = parts;
  const unit = await loadConfig(configFile, env);
  requireSafeServer(unit);
  const clock = await UnitClock.start({ ...machineClock, boot: await readBootId(), ...parts.clock });
  const doors: RestartableDoor[] = [];
  const others: (() => Promise<void>)[] = [];
  const close = async () => {
    await Promise.all([...others.map((stop) => stop()), ...doors.map((door) => door.close())]);
    clock.close();
  };
  try {
    const light = startLight(unit.light, () => doors.map(({ door }) => door), log);
    others.push(light.close);
    const { identify } = light;
    for (const config of unit.doors) {
      const doorLog = unit.doors.length === 1 ? log : log.child({ serial: config.serial });
      const common = { unit, journal, clock, uplink, identify, log: doorLog };
      const start = (restartDoor: () => void) => {
        const restart = parts.restart ?? restartDoor;
        const diagnosed = { configFile, env, recentLines };
        return startDoor(config, { ...common, diagnosed, restartDoor, restart });
      };
      doors.push(await startRestartableDoor(start, doorLog));
    }
    for (const door of doors) others.push(await serveStatus(door, identify, clock, log));
  } catch (error) {
    await close();
    throw error;
  }
  return { ready: readyDoors(doors), close };
}

/** Serves the control socket. The unit counts even without one, for example on a read-only disk. */
function serveStatus(
  restartable: RestartableDoor,
  identify: () => void,
  clock: UnitClock,
  log: Logger,
): Promise<() => Promise<void>> {
  return serveLocal(restartable.door.journalFolder, {
    view: () => viewOf(restartable.door),
    identify,
    uplink: () => restartable.door.uplink,
    bootTime: () => clock.bootTime,
  }).catch((error: unknown) => {
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

/** A door that can be restarted while the others continue. */
interface RestartableDoor {
  /** The running door, or the last one. */
  readonly door: Door;
  close(): Promise<void>;
}

/** Starts a door. `start` receives the function that restarts it: if that fails, the process ends. */
async function startRestartableDoor(
  start: (restart: () => void) => Promise<Door>,
  log: Logger,
): Promise<RestartableDoor> {
  const mutex = new Mutex();
  let isEnded = false;
  const restart = () => {
    const restarted = mutex.runExclusive(async () => {
      if (isEnded) return;
      log.info('door restarted');
      await door.close();
      door = await start(restart);
    });
    restarted.catch((error: unknown) => {
      log.fatal({ err: error }, 'door restart failed');
      process.exit(1);
    });
  };
  let door = await mutex.runExclusive(() => start(restart));
  return {
    get door() {
      return door;
    },
    close: () => {
      isEnded = true;
      return mutex.runExclusive(() => door.close());
    },
  };
}
