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
import { readBootId } from '../machine/machine-state.ts';
import type { UplinkSettings } from '../uplink/uplink-settings.ts';
import { type RunningDoor, startDoor } from './start-door.ts';
import { startLight } from './status-light.ts';

/** Parts that tests replace. */
export interface AgentParts {
  readonly journal?: JournalOptions;
  readonly uplink?: Partial<UplinkSettings>;
  readonly clock?: Partial<ClockParts>;
  /** The last lines of the log, for a diagnosis. */
  readonly recentLines?: RecentLines;
}

/**
 * The machine's clock. Every 5 s we check whether NTP has synchronised it, and then whether it was changed; after 5 min without
 * NTP the gateway's time is used.
 */
const machineClock = {
  monotonic: monotonicNow,
  wall: Date.now,
  synchronised: isClockSynchronised,
  pollInterval: 5_000,
  gatewayTimeAfter: 300_000,
};

/**
 * Starts every door of a configuration. Remote settings and the command `restart` restart all doors within this process; if
 * that fails, the process ends. Throws ConfigurationError after closing all doors.
 */
export async function startAgent(
  configFile: string,
  env: Environment,
  log: Logger,
  { journal = {}, uplink = {}, clock: clockParts, recentLines }: AgentParts = {},
): Promise<Running> {
  const unit = await loadConfig(configFile, env);
  requireSafeServer(unit);
  const clock = await UnitClock.start({ ...machineClock, boot: await readBootId(), log, ...clockParts });
  const doors: RunningDoor[] = [];
  const light = startLight(unit.light, doors, log);
  const mutex = new Mutex();
  let isEnded = false;
  const start = async () => {
    const { identify } = light;
    for (const config of unit.doors) {
      const doorLog = unit.doors.length === 1 ? log : log.child({ serial: config.serial });
      const common = { configFile, env, recentLines, unit, clock, uplink, journal };
      doors.push(await startDoor(config, { ...common, identify, restart, log: doorLog }));
    }
  };
  const stop = () => Promise.all(doors.splice(0).map((door) => door.close()));
  const restart = () => {
    const restarted = mutex.runExclusive(async () => {
      if (isEnded) return;
      log.info('doors restarted');
      await stop();
      await start();
    });
    restarted.catch((error: unknown) => {
      log.fatal({ err: error }, 'restart failed');
      process.exit(1);
    });
  };
  const close = async () => {
    isEnded = true;
    await mutex.runExclusive(stop);
    await light.close();
    clock.close();
  };
  try {
    await mutex.runExclusive(start);
  } catch (error) {
    await close();
    throw error;
  }
  return { ready: readyDoors(doors), close };
}

/** For a supervisor: the state of the door, or a list if there are several. */
function readyDoors(doors: readonly RunningDoor[]): Running['ready'] {
  const ready = doors.map(({ config: { serial }, journal: { id, recorded } }) => ({
    serial,
    journal: id,
    recorded,
  }));
  return ready.length === 1 ? { ...ready[0] } : { doors: ready };
}
