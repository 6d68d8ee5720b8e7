import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Database } from './connect.ts';

/** Why a replica must not be used. */
class UnusableReplica extends Error {
  override readonly name = 'UnusableReplica';
}

/** Polling interval for what the replica has replayed (ms). */
const interval = 50;

/**
 * How long a standby takes until it has replayed what its primary has written now (ms). Throws an UnusableReplica if that
 * takes longer than `maxLag` (ms), and for a server that is not a standby of this primary.
 */
export async function replicaLag(
  primary: Database,
  replica: Database,
  maxLag: number,
  signal?: AbortSignal,
): Promise<number> {
  const begun = performance.now();
  const written = await readPosition(primary);
  for (;;) {
    const { isStandby, server, isReached } = await readState(replica, written.position);
    if (!isStandby) throw new UnusableReplica('it is not a standby');
    if (server !== written.server) throw new UnusableReplica('it is a standby of another server');
    const lag = performance.now() - begun;
    if (isReached) return lag;
    if (lag >= maxLag) throw new UnusableReplica(`it is more than ${maxLag / 1_000} s behind`);
    await delay(interval, undefined, { signal });
  }
}

const server = sql`(select system_identifier from pg_control_system())::text`;

async function readPosition({ kysely }: Database) {
  const { rows } = await sql<{ position: string; server: string }>`
    select pg_current_wal_flush_lsn()::text as position, ${server} as server`.execute(kysely);
  return rows[0] ?? { position: '0/0', server: '' };
}

async function readState({ kysely }: Database, position: string) {
  const { rows } = await sql<{ isStandby: boolean; server: string; isReached: boolean | null }>`
    select pg_is_in_recovery() as "isStandby", ${server} as server,
      pg_last_wal_replay_lsn() >= ${position}::pg_lsn as "isReached"`.execute(kysely);
  return rows[0] ?? { isStandby: false, server: '', isReached: null };
}
