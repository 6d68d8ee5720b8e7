import {
  databaseUrl,
  dataFolder,
  findDatabase,
  migrateUrl,
} from '@visitor-counter/database/embedded/find-database';
import { migrateWhenAvailable } from '@visitor-counter/database/migrations/migrate';
import { watchSchema } from '@visitor-counter/database/migrations/schema-state';
import { createLogger, type Logger } from '@visitor-counter/service/logger';
import { startRoles } from '@visitor-counter/service/roles';
import type { Running } from '@visitor-counter/service/run-service';
import type { Environment } from '@visitor-counter/service/settings/environment';
import { type EmbeddedDatabase, startEmbeddedDatabase } from './embedded-database.ts';
import { operatorOptions, type RoleName, roleNames, roleTable } from './roles.ts';

interface ServerOptions {
  /** Called if it waits for the database. */
  readonly onUnavailable?: () => void;
  /** The log of a role; by default on standard output. */
  readonly logOf?: (role: string) => Logger;
}

/**
 * Runs roles in this process. A process with all roles runs the embedded PostgreSQL, unless `DATABASE_URL` is set; one with
 * some of them uses the database that is there. Throws a ConfigurationError for a setting that cannot be used, before
 * anything is started. `failure` rejects with one when another release changes the schema.
 */
export async function startServer(
  names: readonly RoleName[],
  env: Environment,
  log: Logger,
  stopping: AbortSignal,
  { onUnavailable = () => {}, logOf = (role) => createLogger(role, env) }: ServerOptions = {},
): Promise<Running> {
  const configured = names.map(async (name) => ({ name, start: await roleTable[name].configure(env) }));
  const roles = await Promise.all(configured);
  const operator = operatorOptions(env, names);
  const database = await openDatabase(names, env, log);
  const changeUrl = migrateUrl(env, database.url);
  const schema = watchSchema(database.url, log);
  const stop = async () => {
    await schema.close();
    await database.stop();
  };
  try {
    const running = await startRoles({
      roles,
      ...operator,
      disks: [...operator.disks, ...database.folders],
      log,
      stopping,
      databaseUrl: database.url,
      migrate: (signal, onAttempt) =>
        migrateWhenAvailable(database.url, changeUrl, log, signal, () => {
          onAttempt();
          onUnavailable();
        }),
      logOf,
    });
    return {
      ...running,
      failure: Promise.race([schema.failure, ...(running.failure ? [running.failure] : [])]),
      close: async () => {
        await running.close();
        await stop();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function openDatabase(
  names: readonly RoleName[],
  env: Environment,
  log: Logger,
): Promise<EmbeddedDatabase & { readonly folders: readonly string[] }> {
  const hasAll = names.length === roleNames.length;
  if (hasAll && databaseUrl(env) === undefined) {
    const folder = dataFolder(env);
    const embedded = await startEmbeddedDatabase(folder, (message) => log.error(message));
    return { ...embedded, folders: [folder] };
  }
  return { url: await findDatabase(env), stop: async () => {}, folders: [] };
}
