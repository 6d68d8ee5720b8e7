import { findEndedSessions } from '@visitor-counter/database/devices/connections';
import type { Database } from '@visitor-counter/database/sql/connect';
import { errorFields } from '@visitor-counter/database/sql/unavailable';
import type { BoundedLog } from '@visitor-counter/service/bounded-log';
import { type Repetition, repeat } from '@visitor-counter/service/repeat';
import type { Sessions } from './sessions.ts';

export interface SessionWatchOptions {
  readonly pool: Database['pool'];
  readonly sessions: Sessions;
  /** From the end of one round to the next (ms). */
  readonly interval: number;
  readonly log: BoundedLog;
}

/**
 * Closes connections of devices that have connected to another gateway, or whose secret was changed or revoked. While
 * the database is unavailable no connection is closed.
 */
export function watchSessions({ pool, sessions, interval, log }: SessionWatchOptions): Repetition {
  const closeEnded = async () => {
    for (const session of await findEndedSessions(pool, sessions.all()))
      sessions.end(session, 'the unit is connected to another gateway, or its secret has changed');
  };
  return repeat(interval, closeEnded, (error) =>
    log.write('warn', errorFields(error), 'connections not compared with the database'),
  );
}
