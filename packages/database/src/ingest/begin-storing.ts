import type { ClientBase } from 'pg';
import { assignmentLock } from './assignment-lock.ts';

/**
 * Begins a transaction that stores: no device moves until it ends. Gives the version of what is known then of
 * where devices belong (`DeviceStores`), read by a statement that begins when the lock is held.
 */
export async function beginStoring(client: ClientBase): Promise<string> {
  const [, , { rows }] = await Promise.all([
    client.query('begin'),
    client.query(lockAssignments),
    client.query<{ version: string }>(versionStatement),
  ]);
  return rows[0]?.version ?? '';
}

/** Taken before it is read where devices belong. */
const lockAssignments = {
  name: 'lock-assignments',
  text: `select pg_advisory_xact_lock_shared(${assignmentLock})`,
};

const versionStatement = { name: 'assignment-version', text: 'select version from assignment_version' };
