import type { ReadReplica } from '@visitor-counter/database/embedded/find-database';
import { inspectDatabase } from '@visitor-counter/database/fleet/database-state';
import { connect } from '@visitor-counter/database/sql/connect';
import { replicaLag } from '@visitor-counter/database/sql/replica-lag';
import { reasonOf } from '@visitor-counter/service/errors';
import { placeOf } from './check-database.ts';
import { type Finding, type Installation, ok, warning } from './finding.ts';

/** Checks, as the api does, that the replica can be used; the primary answers where it cannot. */
export async function checkReplica(
  primaryUrl: string,
  { url, maxLag }: ReadReplica,
  { settings }: Installation,
): Promise<Finding[]> {
  const options = { applicationName: 'visitor-counter doctor', readOnly: true };
  const [primary, replica] = [connect(primaryUrl, options), connect(url, options)];
  const place = placeOf(url);
  try {
    const lag = Math.ceil(await replicaLag(primary, replica, maxLag));
    const { version, settings: ofServer } = await inspectDatabase(replica);
    const found = [ok('replica', `PostgreSQL ${version}, ${place}, caught up within ${lag} ms`)];
    if (ofServer['hot_standby_feedback'] === 'on') return found;
    const finding = 'hot_standby_feedback is off: the replica may cancel long exports';
    const advice =
      'As the superuser of the replica: alter system set hot_standby_feedback = on; select pg_reload_conf()';
    return [...found, warning('replica', finding, advice)];
  } catch (error) {
    const finding = `${place} is not used, and the primary answers: ${reasonOf(error)}`;
    const advice = `Set DATABASE_READ_URL in ${settings} to a streaming standby of DATABASE_URL, or remove it. If it is one: does it run, and is it in pg_stat_replication on the primary?`;
    return [warning('replica', finding, advice)];
  } finally {
    await Promise.all([primary.close(), replica.close()]);
  }
}
