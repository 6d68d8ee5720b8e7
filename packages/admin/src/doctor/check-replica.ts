import type { ReadReplica } from '@visitor-counter/database/embedded/find-database';
import { inspectDatabase } from '@visitor-counter/database/fleet/database-state';
import { connect, type Database, replicaLag } from '@visitor-counter/database/sql/connect';
import { reasonOf } from '@visitor-counter/service/errors';
import { placeOf } from './check-database.ts';
import { type Finding, ok, warning } from './finding.ts';
import type { Installation } from './installation.ts';

/** Checks, as the api does, that the replica can be used; the primary answers where it cannot. */
export async function checkReplica(
  primary: Database,
  { url, maxLag }: ReadReplica,
  { settings }: Installation,
): Promise<Finding[]> {
  const replica = connect(url, { applicationName: 'visitor-counter doctor', readOnly: true });
  const place = placeOf(url);
  try {
    const lag = Math.ceil(await replicaLag(primary, replica, maxLag));
    const { version, settings: ofServer } = await inspectDatabase(replica);
    const found = ok('replica', `PostgreSQL ${version}, ${place}, caught up within ${lag} ms`);
    if (ofServer['hot_standby_feedback'] === 'on') return [found];
    const finding = 'hot_standby_feedback is off: the replica may cancel long exports';
    return [found, warning('replica', finding, 'Set hot_standby_feedback = on in its postgresql.conf.')];
  } catch (error) {
    const finding = `${place} is not used, and the primary answers: ${reasonOf(error)}`;
    const advice = `Set DATABASE_READ_URL in ${settings} to a streaming standby of DATABASE_URL that runs, or remove it.`;
    return [warning('replica', finding, advice)];
  } finally {
    await replica.close();
  }
}
