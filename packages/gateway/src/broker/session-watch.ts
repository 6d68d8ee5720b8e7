import { findEndedSessions } from '@visitor-counter/database/devices/connections';
import type { Database } from '@visitor-counter/database/sql/connect';
import type { Logger } from '@visitor-counter/service/logger';
import { type Repetition, repeat } from '@visitor-counter/service/repeat';
import type { Client } from 'aedes';
import { errorFields } from '../log/log-fields.ts';
import type { ConnectionLog } from './connection-log.ts';
import type { Session } from './login.ts';

export interface SessionWatchOptions {
  readonly pool: Database['pool'];
  /** The clients that are logged in at this gateway. */
  readonly sessions: ReadonlyMap<Client, Session>;
  readonly connections: ConnectionLog;
  /** From the end of one round to the next (ms). */
  readonly interval: number;
  readonly log: Logger;
}

/** Sessions in one statement: few enough that sending them does not delay other work. */
const chunk = 1_000;

/**
 * Closes connections of devices that have connected to another gateway, or whose secret was changed or revoked. While
 * the database is unavailable no connection is closed.
 */
export function watchSessions({
  pool,
  sessions,
  connections,
  interval,
  log,
}: SessionWatchOptions): Repetition {
  const closeEnded = async (signal: AbortSignal) => {
    const all = [...sessions];
    for (let start = 0; start < all.length && !signal.aborted; start += chunk) {
      const checked = all.slice(start, start + chunk);
      const ended = await findEndedSessions(
        pool,
        checked.map(([, session]) => session),
      );
      for (const index of ended) {
        const [client] = checked[index] ?? [];
        if (client === undefined) continue;
        connections.ending(client, 'the unit is connected to another gateway, or its secret has changed');
        client.close();
      }
    }
  };
  return repeat(interval, closeEnded, (error) =>
    log.warn(errorFields(error), 'connections not compared with the database'),
  );
}
