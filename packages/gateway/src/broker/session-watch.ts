import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '@visitor-counter/database/connect';
import { findEndedSessions } from '@visitor-counter/database/ingest/ended-sessions';
import type { Logger } from '@visitor-counter/service/logger';
import type { Client } from 'aedes';
import { aboutError } from '../start/about-error.ts';
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
  readonly #closing = new AbortController();
  readonly #ended: Promise<void>;

  constructor(options: SessionWatchOptions) {
    this.#options = options;
    this.#ended = this.#run();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#ended;
  }

  async #run(): Promise<void> {
    const { interval, log } = this.#options;
    const { signal } = this.#closing;
    while (!signal.aborted) {
      await delay(interval, undefined, { signal }).catch(() => {});
      await this.#look().catch((error: unknown) =>
        log.warn(aboutError(error), 'it is not known which connections are to end'),
      );
    }
  }

  async #look(): Promise<void> {
    const { pool, sessions } = this.#options;
    const held = [...sessions];
    for (let start = 0; start < held.length && !this.#closing.signal.aborted; start += chunk) {
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
