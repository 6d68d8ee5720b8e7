import { access, constants, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { FolderTakenError } from '@visitor-counter/database/embedded/claim';
import {
  embeddedName,
  publishAddress,
  withdrawAddress,
} from '@visitor-counter/database/embedded/find-database';
import { startEmbeddedServer } from '@visitor-counter/database/embedded/server';
import { keptKey } from '@visitor-counter/database/secrets/secrets-key';
import { createDatabase } from '@visitor-counter/database/sql/open-client';
import { codeOf, reasonOf } from '@visitor-counter/service/errors';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';

export interface EmbeddedDatabase {
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Runs the embedded PostgreSQL on `<dataFolder>/postgres`, makes the key for webhooks if there is none, publishes the
 * database's address for other programs in that folder, and starts PostgreSQL again on the same port if it ends
 * unexpectedly. Throws ConfigurationError if this user cannot write the folder, or another process uses it. `settings` are
 * those of PostgreSQL.
 */
export async function startEmbeddedDatabase(
  dataFolder: string,
  onUnexpectedEnd: (how: string) => void,
  settings: Readonly<Record<string, string>> = {},
): Promise<EmbeddedDatabase> {
  await makeDataFolder(dataFolder);
  await keptKey(dataFolder).catch((error: unknown) => refuse(error, dataFolder));
  const folder = join(dataFolder, 'postgres');
  let server = await startEmbeddedServer({ folder, settings }).catch((error: unknown) =>
    refuse(error, dataFolder),
  );
  let stopping = false;
  await createDatabase(server.url('postgres'), embeddedName);
  await publishAddress(folder, server.url(embeddedName));
  const supervision = superviseForever();
  return {
    url: server.url(embeddedName),
    stop: async () => {
      stopping = true;
      await withdrawAddress(folder);
      await server.stop();
      await supervision;
    },
  };

  async function superviseForever(): Promise<void> {
    for (;;) {
      await server.ended;
      if (stopping) return;
      onUnexpectedEnd('PostgreSQL ended; starting it again');
      await startAgain();
    }
  }

  /** After a crash it may take a moment until the system has released the resources of the old server. */
  async function startAgain(): Promise<void> {
    try {
      server = await startEmbeddedServer({ folder, settings, port: server.port });
      if (stopping) await server.stop();
    } catch (error) {
      onUnexpectedEnd(reasonOf(error));
      await delay(1_000);
    }
  }
}

/** Errors of a full disk. */
const full: readonly unknown[] = ['EDQUOT', 'ENOSPC'];

/** Errors of a folder that cannot be written. */
const unwritable: readonly unknown[] = [...full, 'EACCES', 'EEXIST', 'ENOTDIR', 'EPERM', 'EROFS'];

function refuse(error: unknown, dataFolder: string): never {
  if (unwritable.includes(codeOf(error))) refuseFolder(error, dataFolder);
  if (!(error instanceof FolderTakenError)) throw error;
  const expected = `a folder that is free; process ${error.pid} is using it, which may be another server or demonstration`;
  throw new ConfigurationError('DATA_DIR', dataFolder, expected);
}

/** Creates the folder of the embedded PostgreSQL. Throws ConfigurationError if this user cannot write it. */
export async function makeDataFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    await access(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    refuseFolder(error, folder);
  }
}

function refuseFolder(error: unknown, folder: string): never {
  /* The setting can be used later: a supervisor should start the program again. */
  if (full.includes(codeOf(error)))
    throw new Error(`the disk of DATA_DIR is full: make room for ${folder} (${reasonOf(error)})`);
  const expected = `a folder that this user can make and write (${reasonOf(error)})`;
  throw new ConfigurationError('DATA_DIR', folder, expected);
}
