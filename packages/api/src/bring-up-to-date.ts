import { migrate } from '@visitor-counter/database/migrations/migrate';
import { isDatabaseAway, reasonOf } from '@visitor-counter/database/sql/unavailable';
import { BoundedLog } from '@visitor-counter/service/bounded-log';
import type { Logger } from '@visitor-counter/service/logger';
import { logFailure } from './http/log-failure.ts';

/** Brings the schema up to date, however long it takes until the database is there. */
export interface SchemaUpdate {
  /** Tries once; goes on in the background while the database is away. Throws when something else is wrong. */
  firstAttempt(): Promise<void>;
  done(): boolean;
  stop(): void;
}

/** Between two attempts (ms): doubles from the first to the last, with up to half of it left to chance. */
const firstDelay = 250;
const longestDelay = 5_000;

export function bringUpToDate(url: string, log: Logger): SchemaUpdate {
  const failures = new BoundedLog(log);
  let done = false;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  const attempt = async () => {
    const applied = await migrate(url);
    done = true;
    if (applied.length > 0) log.info({ applied }, 'schema brought up to date');
  };
  const failed = (error: unknown) => {
    if (!isDatabaseAway(error)) logFailure(failures, 'schema not brought up to date', error);
    else failures.write('warn', { reason: reasonOf(error) }, 'database unavailable; retrying');
  };
  const retryIn = (delay: number) => {
    if (stopped) return;
    timer = setTimeout(
      () => {
        attempt().catch((error: unknown) => {
          failed(error);
          retryIn(Math.min(2 * delay, longestDelay));
        });
      },
      delay * (0.5 + Math.random() / 2),
    );
  };
  return {
    firstAttempt: () =>
      attempt().catch((error: unknown) => {
        if (!isDatabaseAway(error)) throw error;
        failed(error);
        retryIn(firstDelay);
      }),
    done: () => done,
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
