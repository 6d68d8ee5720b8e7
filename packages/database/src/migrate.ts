import { ConfigurationError } from '@visitor-counter/service/configuration-error';
import { type Migration, Migrator } from 'kysely/migration';
import pg from 'pg';
import { connect, type Database } from './connect.ts';
import * as firstSchema from './migrations/20261121T0300-first-schema.ts';
import * as occupancy from './migrations/20261121T0430-occupancy.ts';
import * as secretRevoked from './migrations/20261121T0450-secret-revoked.ts';
import * as journalProgress from './migrations/20261121T0500-journal-progress.ts';
import * as commitOrder from './migrations/20261121T0600-commit-order.ts';
import * as corrections from './migrations/20261121T0615-corrections.ts';
import * as alerts from './migrations/20261121T0700-alerts.ts';
import * as crossingOrderCovers from './migrations/20261121T0710-crossing-order-covers.ts';
import * as unfoldedQuarters from './migrations/20261121T0730-unfolded-quarters.ts';
import * as sessions from './migrations/20261121T0745-sessions.ts';
import * as enrolment from './migrations/20261121T0800-enrolment.ts';
import * as lateChanges from './migrations/20261121T0815-late-changes.ts';
import * as unitOrders from './migrations/20261121T0820-unit-orders.ts';
import * as limitedCredentials from './migrations/20261121T0930-limited-credentials.ts';
import * as alertsByEnd from './migrations/20261121T0945-alerts-by-end.ts';
import * as requireUnchanged from './migrations/20261121T1000-require-unchanged.ts';
import * as storeVersion from './migrations/20261121T1300-store-version.ts';
import * as storeNext from './migrations/20261121T1900-store-next.ts';
import * as instantsFromEarliest from './migrations/20261121T2200-instants-from-earliest.ts';
import * as gateways from './migrations/20261122T0530-gateways.ts';
import * as commandProgress from './migrations/20261122T1315-command-progress.ts';
import * as histories from './migrations/20261122T1318-histories.ts';
import * as deviceLimits from './migrations/20261122T1320-device-limits.ts';
import * as crossingVoids from './migrations/20261122T1345-crossing-voids.ts';
import * as blockedBeams from './migrations/20261122T1400-blocked-beams.ts';
import * as coverage from './migrations/20261122T1405-coverage.ts';
import * as diagnoses from './migrations/20261122T1430-diagnoses.ts';
import * as directions from './migrations/20261122T1440-directions.ts';
import * as unitAlerts from './migrations/20261122T1448-unit-alerts.ts';
import * as failingStorage from './migrations/20261122T1511-failing-storage.ts';
import * as projection from './migrations/20261122T1715-projection.ts';

/** All migrations in order; a name never changes once it has landed. */
const migrations: Readonly<Record<string, Migration>> = {
  '20261121T0300-first-schema': firstSchema,
  '20261121T0430-occupancy': occupancy,
  '20261121T0450-secret-revoked': secretRevoked,
  '20261121T0500-journal-progress': journalProgress,
  '20261121T0600-commit-order': commitOrder,
  '20261121T0615-corrections': corrections,
  '20261121T0700-alerts': alerts,
  '20261121T0710-crossing-order-covers': crossingOrderCovers,
  '20261121T0730-unfolded-quarters': unfoldedQuarters,
  '20261121T0745-sessions': sessions,
  '20261121T0800-enrolment': enrolment,
  '20261121T0815-late-changes': lateChanges,
  '20261121T0820-unit-orders': unitOrders,
  '20261121T0930-limited-credentials': limitedCredentials,
  '20261121T0945-alerts-by-end': alertsByEnd,
  '20261121T1000-require-unchanged': requireUnchanged,
  '20261121T1300-store-version': storeVersion,
  '20261121T1900-store-next': storeNext,
  '20261121T2200-instants-from-earliest': instantsFromEarliest,
  '20261122T0530-gateways': gateways,
  '20261122T1315-command-progress': commandProgress,
  '20261122T1318-histories': histories,
  '20261122T1320-device-limits': deviceLimits,
  '20261122T1345-crossing-voids': crossingVoids,
  '20261122T1400-blocked-beams': blockedBeams,
  '20261122T1405-coverage': coverage,
  '20261122T1430-diagnoses': diagnoses,
  '20261122T1440-directions': directions,
  '20261122T1448-unit-alerts': unitAlerts,
  '20261122T1511-failing-storage': failingStorage,
  '20261122T1715-projection': projection,
};

/** Any number that no other user of the same database takes for an advisory lock. */
const migrationLock = 7_210_311_504;

/**
 * Brings the schema up to date and returns the names of what it applied. Safe when several processes do it
 * at once: one works, the others wait for it and find nothing left to do. Throws a ConfigurationError where
 * the server refuses the user, the password or the database of the URL.
 */
export async function migrate(url: string): Promise<string[]> {
  const database = connect(url, { applicationName: 'visitor-counter migrate', maxConnections: 2 });
  try {
    const lock = await database.pool.connect().catch(refused);
    await lock.query('select pg_advisory_lock($1)', [migrationLock]);
    try {
      const applied = await applyAll(database);
      await lock.query('select begin_history()');
      return applied;
    } finally {
      lock.release(true);
    }
  } finally {
    await database.close();
  }
}

/** Class 28 is about who logs in, 3D000 is a database that does not exist. */
function refused(error: unknown): never {
  if (error instanceof pg.DatabaseError && /^(28...|3D000)$/.test(error.code ?? '')) {
    const expected = `a user, password and database that the server takes; it says: ${error.message}`;
    throw new ConfigurationError('DATABASE_URL', '…', expected);
  }
  throw error;
}

async function applyAll({ kysely }: Database): Promise<string[]> {
  const migrator = new Migrator({
    db: kysely,
    provider: { getMigrations: async () => ({ ...migrations }) },
  });
  const { error, results } = await migrator.migrateToLatest();
  if (error) throw error;
  return (results ?? []).map(({ migrationName }) => migrationName);
}
