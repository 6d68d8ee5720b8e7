import type { Logger } from '@visitor-counter/service/logger';
import { repeat } from '@visitor-counter/service/repeat';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import { connect, type Database } from '../sql/connect.ts';
import { requireServable, type SchemaState } from './schema-state.ts';

/** How often the schema is read (ms). */
const interval = 2_000;

interface SchemaWatch {
  /** Rejects with a ConfigurationError that says what to do when programs of this release can no longer serve. */
  readonly failure: Promise<never>;
  close(): Promise<void>;
}

/** Watches the schema, which a later release may change while this program serves. */
export function watchSchema(url: string, log: Logger): SchemaWatch {
  const database = connect(url, {
    applicationName: 'visitor-counter schema',
    maxConnections: 1,
    statementTimeout: 5_000,
    queryDeadline: 6_000,
  });
  const { promise: failure, reject } = Promise.withResolvers<never>();
  failure.catch(() => {});
  let known: string | undefined;
  const read = async () => {
    const { release = known, unknown = [] } = (await readOnce(database)) ?? {};
    if (release !== known)
      log.info({ release, unknown }, 'a later release has changed the schema; serving continues');
    known = release;
  };
  const watching = repeat(interval, read, reject);
  return {
    failure,
    close: async () => {
      await watching.close();
      await database.close();
    },
  };
}

/** Undefined for a database that is unavailable. */
async function readOnce({ pool }: Database): Promise<SchemaState | undefined> {
  const client = await pool.connect().catch(() => undefined);
  try {
    const state = client && (await requireServable(client));
    client?.release();
    return state;
  } catch (error) {
    client?.release(true);
    if (error instanceof ConfigurationError) throw error;
    return undefined;
  }
}
