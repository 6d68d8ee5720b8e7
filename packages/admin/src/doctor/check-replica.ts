import type { ReadReplica } from '@visitor-counter/database/embedded/find-database';
import { inspectDatabase } from '@visitor-counter/database/fleet/database-state';
import {
  openReplicaSnapshot,
  type ReplicaFault,
  ReplicaRefused,
} from '@visitor-counter/database/replica/replica-snapshot';
import { connect } from '@visitor-counter/database/sql/connect';
import { reasonOf } from '@visitor-counter/service/errors';
import { placeOf } from './check-database.ts';
import { type Finding, type Installation, ok, warning } from './finding.ts';

/** Checks, as the api does for every report, that the replica can be used; the primary answers where it cannot. */
export async function checkReplica(
  primaryUrl: string,
  { url, maxLag }: ReadReplica,
  { settings }: Installation,
): Promise<Finding[]> {
  /* Its position is written, if it has another history than before. */
  const primary = connect(primaryUrl, { applicationName: 'visitor-counter doctor', maxConnections: 1 });
  const replica = connect(url, { applicationName: 'visitor-counter doctor', readOnly: true });
  const place = placeOf(url);
  try {
    const begun = performance.now();
    await using snapshot = await openReplicaSnapshot({ primary, replica, maxLag });
    const within = Math.ceil(performance.now() - begun);
    const { version, settings: ofServer } = await inspectDatabase({ kysely: snapshot.db });
    const found = [ok('replica', `PostgreSQL ${version}, ${place}, caught up within ${within} ms`)];
    if (ofServer['hot_standby_feedback'] === 'on') return found;
    const finding = 'hot_standby_feedback is off: the replica may cancel long exports';
    const advice =
      'As the superuser of the replica: alter system set hot_standby_feedback = on; select pg_reload_conf()';
    return [...found, warning('replica', finding, advice)];
  } catch (error) {
    if (!(error instanceof ReplicaRefused)) throw error;
    const why = error.cause === undefined ? '' : ` (${reasonOf(error.cause)})`;
    const finding = `${place} is not used, and the primary answers: ${error.message}${why}`;
    return [warning('replica', finding, adviceFor[error.fault](settings))];
  } finally {
    await Promise.all([primary.close(), replica.close()]);
  }
}

const correct = (settings: string) =>
  `Set DATABASE_READ_URL in ${settings} to a streaming standby of DATABASE_URL, or remove it.`;

const adviceFor: Readonly<Record<ReplicaFault, (settings: string) => string>> = {
  unreachable: (settings) => `Is it running, and is DATABASE_READ_URL in ${settings} right?`,
  not_a_standby: (settings) => `${correct(settings)} After a failover, make a new standby.`,
  another_database: (settings) => `${correct(settings)} After a restore, make a new standby.`,
  behind: () =>
    'Look at pg_stat_replication on the primary: is it connected? On the replica: select pg_is_wal_replay_paused().',
  ahead: () =>
    'The primary waits for a synchronous standby: look at pg_stat_replication and synchronous_standby_names there.',
};
