import type { ClientBase } from 'pg';
import { assignmentLock } from '../devices/device-stores.ts';

/**
 * Begins a transaction that stores crossings, and locks the assignments of devices until it ends. Returns the version
 * of the assignments of devices (`DeviceStores`), read by a statement that begins after the lock was taken. Throws if
 * the database has begun another history since the connection read it.
 */
export async function beginStoring(client: ClientBase): Promise<string> {
  const [, , { rows }] = await Promise.all([
    client.query('begin'),
    client.query(lockAssignments),
    client.query<{ version: string }>(versionStatement),
  ]);
  return rows[0]?.version ?? '';
}

/** Taken before assignments are read. */
const lockAssignments = {
  name: 'lock-assignments',
  text: `select pg_advisory_xact_lock_shared(${assignmentLock})`,
};

const versionStatement = {
  name: 'assignment-version',
  text: 'select version, require_history() from assignment_version',
};
