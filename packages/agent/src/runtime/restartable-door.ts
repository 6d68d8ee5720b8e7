import type { Logger } from '@visitor-counter/service/logger';
import type { Door } from './start-door.ts';

/** A door that can be restarted while the others continue. */
export interface RestartableDoor extends Pick<Door, 'close' | 'release'> {
  /** The running door, or the last one. */
  readonly door: Door;
}

/** Starts a door. `start` receives the function that restarts it: if that fails, the process ends. */
export async function startRestartableDoor(
  start: (restart: () => void) => Promise<Door>,
  log: Logger,
): Promise<RestartableDoor> {
  let isClosed = false;
  const restart = () => {
    working = working.then(restartNow).catch((error: unknown) => {
      log.fatal({ err: error }, 'door restart failed');
      process.exit(1);
    });
  };
  const restartNow = async () => {
    if (isClosed) return;
    log.info('door restarted');
    await door.close();
    door = await start(restart);
  };
  const starting = start(restart);
  let working: Promise<unknown> = starting;
  let door = await starting;
  const whenIdle = async () => {
    isClosed = true;
    await working;
  };
  return {
    get door() {
      return door;
    },
    close: async () => {
      await whenIdle();
      await door.close();
    },
    release: async () => {
      await whenIdle();
      await door.release();
    },
  };
}
