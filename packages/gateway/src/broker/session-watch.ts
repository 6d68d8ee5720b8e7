import { findEndedSessions } from '@visitor-counter/database/devices/ended-sessions';
import type { Database } from '@visitor-counter/database/sql/connect';
import { atIntervals, type Repeated } from '@visitor-counter/service/at-intervals';
import type { Logger } from '@visitor-counter/service/logger';
import type { Client } from 'aedes';
import { aboutError } from '../log/error-fields.ts';
import type { ConnectionLog } from './connection-log.ts';
import type { Session } from './session.ts';

export interface SessionWatchOptions {
  readonly pool: Database['pool'];
  /** The clients that have logged in here. */
  readonly sessions: ReadonlyMap<Client, Session>;
  readonly connections: ConnectionLog;
  /** How long between the end of a look and the next (ms). */
  readonly interval: number;
  readonly log: Logger;
}

/** Sessions in one statement: few enough that sending them holds nothing else up. */
const chunk = 1_000;

/**
 * Ends the connections whose time is over although nobody here has ended them: the device has connected to
 * another gateway, or its secret was changed or revoked. The database is asked at intervals, and while it is
 * away nothing ends.
 */
export class SessionWatch {
  readonly #options: SessionWatchOptions;
  readonly #looks: Repeated;

  constructor(options: SessionWatchOptions) {
    const { interval, log } = options;
    this.#options = options;
    this.#looks = atIntervals(
      interval,
      (signal) => this.#look(signal),
      (error) => log.warn(aboutError(error), 'connections not compared with the database'),
    );
  }

  close(): Promise<void> {
    return this.#looks.close();
  }

  async #look(signal: AbortSignal): Promise<void> {
    const { pool, sessions } = this.#options;
    const held = [...sessions];
    for (let start = 0; start < held.length && !signal.aborted; start += chunk) {
      const asked = held.slice(start, start + chunk);
      const ended = await findEndedSessions(
        pool,
        asked.map(([, session]) => session),
      );
      for (const index of ended) this.#end(asked[index]);
    }
  }

  #end(held: readonly [Client, Session] | undefined): void {
    if (held === undefined) return;
    const [client] = held;
    this.#options.connections.ending(client, 'the unit is at another gateway, or has another secret');
    client.close();
  }
}
