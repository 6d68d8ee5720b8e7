import { withClient } from '../sql/create-database.ts';

/** A backup that is complete and verified. */
export interface RecordedBackup {
  readonly file: string;
  /** Epoch ms. */
  readonly takenAt: number;
  readonly bytes: number;
}

/** Records a backup for monitoring. A role that only reads cannot: its backups are as good, and are not recorded. */
export async function recordBackup(url: string, { file, takenAt, bytes }: RecordedBackup): Promise<void> {
  await withClient(url, async (client) => {
    try {
      await client.query(
        'insert into backup (taken_at, path, bytes) values (to_timestamp($1::float8 / 1000), $2, $3)',
        [...[takenAt, file, bytes]],
      );
    } catch (error) {
      const isForbidden =
        error instanceof Error && 'code' in error && /^(42501|25006)$/.test(String(error.code));
      if (!isForbidden) throw error;
    }
  });
}
