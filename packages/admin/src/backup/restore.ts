import { access, constants } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { hasChecksum, restoreEmbedded } from '@visitor-counter/database/backup/backup-files';
import { recordRestore, restoreDump } from '@visitor-counter/database/backup/dump';
import { databaseUrl, dataFolder, findMigrateUrl } from '@visitor-counter/database/embedded/find-database';
import { migrate } from '@visitor-counter/database/migrations/migrate';
import { Refused, reasonOf } from '@visitor-counter/service/errors';
import type { Environment } from '@visitor-counter/service/settings/environment';
import { command, someText } from '../command/command.ts';
import { operatorOf } from '../command/context.ts';

const help = `
Stop all services first: the command refuses to run while one is connected. It compares the file with its checksum, and
replaces everything by pg_restore in one transaction. If anything fails, nothing has changed. The database user must own the
database. The file of an embedded PostgreSQL replaces its folder.
JSON: {"file","seconds"}`;

const after = `
restored. Start the services: units send the crossings since the backup again
credentials, secrets of units, sessions and codes are those of the backup: what was revoked or replaced since then works again, and what was made since then is refused`.trimStart();

export const restoreCommand = command({
  name: 'restore',
  description: 'Replace the data by that of a backup, while the services are stopped.',
  argument: { name: '<file>', description: 'a file that `backup` has written', kind: someText },
  help,
  run: async (context, _options, name: string) => {
    const begin = performance.now();
    const file = resolve(context.folder, name);
    const record = (url: string) => recordRestore(url, operatorOf(context.env), file);
    const url = await replaceData(context.env, file, record).catch((error) => {
      throw error instanceof Refused ? new Refused(`${error.message}. Nothing was changed.`) : error;
    });
    if (url !== undefined) {
      await migrate(url).catch((error) => {
        throw new Refused(`restored, but this release cannot serve it: ${reasonOf(error)}`);
      });
      await record(url);
    }
    const seconds = Math.round((performance.now() - begin) / 100) / 10;
    return { json: { file, seconds }, text: after };
  },
});

/** Restores a backup; resolves with the URL of the database, or undefined for the embedded one, which is stopped. */
async function replaceData(
  env: Environment,
  file: string,
  record: (url: string) => Promise<void>,
): Promise<string | undefined> {
  await access(file, constants.R_OK).catch((error) => {
    throw new Refused(`${file} cannot be read: ${reasonOf(error)}`);
  });
  if ((await hasChecksum(file)) === false)
    throw new Refused(
      `${file} is damaged: its SHA-256 is not that of ${file}.sha256. Restore another backup`,
    );
  const isOfEmbedded = file.endsWith('.tar');
  const isEmbedded = databaseUrl(env) === undefined && !env['DATABASE_MIGRATE_URL'];
  if (isOfEmbedded !== isEmbedded)
    throw new Refused(
      isOfEmbedded
        ? `${file} is of an embedded PostgreSQL, and DATABASE_URL is set`
        : `${file} is a dump: DATABASE_URL or DATABASE_MIGRATE_URL must be set`,
    );
  if (isOfEmbedded) {
    await restoreEmbedded(join(dataFolder(env), 'postgres'), file, record);
    return undefined;
  }
  const url = await findMigrateUrl(env);
  await restoreDump(url, file);
  return url;
}
