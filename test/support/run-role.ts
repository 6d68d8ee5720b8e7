import { migrateWhenAvailable } from '@visitor-counter/database/migrations/migrate';
import type { Logger } from '@visitor-counter/service/logger';
import type { Role } from '@visitor-counter/service/roles';
import { startRoles } from '@visitor-counter/service/roles';
import type { Running } from '@visitor-counter/service/run-service';

/** Runs one role of the server in this process, with its health checks and metrics on any free port. */
export function runRole(
  name: string,
  start: Role['start'],
  databaseUrl: string,
  log: Logger,
): Promise<Running> {
  return startRoles({
    roles: [{ name, start }],
    databaseUrl,
    migrate: (stopping, onUnavailable) =>
      migrateWhenAvailable(databaseUrl, databaseUrl, log, stopping, onUnavailable),
    operator: { host: '127.0.0.1', port: 0, setting: 'METRICS_PORT' },
    disks: [],
    log,
    logOf: () => log,
    stopping: new AbortController().signal,
  });
}
