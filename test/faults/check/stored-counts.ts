import { connect } from '@visitor-counter/database/sql/connect';

/** How many crossings are stored of each device. */
export interface StoredCounts extends AsyncDisposable {
  /** By serial number; undefined while the database is unavailable. */
  read(): Promise<ReadonlyMap<string, number> | undefined>;
}

export function storedCounts(databaseUrl: string): StoredCounts {
  const database = connect(databaseUrl, { applicationName: 'fault campaign', maxConnections: 1 });
  return {
    read: async () => {
      try {
        const { rows } = await database.pool.query<{ serial: string; count: number }>(
          `select serial, count(*)::float8 as count from crossing join device on device.id = device_id
           group by serial`,
        );
        return new Map(rows.map(({ serial, count }) => [serial, count]));
      } catch {
        return undefined;
      }
    },
    [Symbol.asyncDispose]: () => database.close(),
  };
}
