import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedServer } from '@visitor-counter/database/embedded/server';
import { createDatabase } from '@visitor-counter/database/sql/open-client';

/** The progress of an attack. */
export type OnProgress = (sent: number) => void;

/**
 * Runs an attack on an empty database, which is removed afterwards, and prints its progress every five seconds. The exit
 * code is 1 if the attack found something or failed.
 */
export async function withServer(
  what: string,
  attack: (databaseUrl: string, onProgress: OnProgress) => Promise<boolean>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'visitor-counter-attack-'));
  const server = await startEmbeddedServer({ folder });
  let sentSoFar = 0;
  const telling = setInterval(() => console.error(`${sentSoFar.toLocaleString('en-US')} ${what}`), 5_000);
  try {
    await createDatabase(server.url('postgres'), 'attack');
    const isFine = await attack(server.url('attack'), (sent) => {
      sentSoFar = sent;
    });
    if (!isFine) process.exitCode = 1;
  } catch (error) {
    console.error(error);
    process.exitCode = 1;
  } finally {
    clearInterval(telling);
    await server.stop();
    await rm(folder, { recursive: true });
  }
}
