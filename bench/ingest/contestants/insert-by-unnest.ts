import type { CrossingRow } from '@visitor-counter/database/crossings/crossing-row';
import { crossingArrays, plainInsert } from '@visitor-counter/database/crossings/insert-crossings';
import type pg from 'pg';

/** Rows in one statement: as many as the gateway puts into one transaction at most. */
const rowsPerStatement = 2_000;

export interface UnnestOptions {
  /** Devices, whose journals grow side by side. */
  readonly units: number;
  readonly warmUp: number;
  readonly seconds: number;
  /** The instant of the first crossings (epoch ms). */
  readonly since: number;
}

/**
 * Rows a second of the least that storing is: rows inserted into the product's own table as the gateway does it when
 * all goes well, sorted by the key, over one connection, each statement a transaction; nothing read, nothing checked,
 * nothing kept beside it. Without `on conflict`, which would cost about a third more.
 */
export async function insertByUnnest(client: pg.Client, options: UnnestOptions): Promise<number> {
  const nextRows = rowsWriter(options);
  await insertFor(client, nextRows, options.warmUp);
  return insertFor(client, nextRows, options.seconds);
}

async function insertFor(
  client: pg.Client,
  nextRows: () => readonly CrossingRow[],
  seconds: number,
): Promise<number> {
  const begun = performance.now();
  let inserted = 0;
  let took = 0;
  while (took < seconds) {
    const values = crossingArrays(nextRows());
    const { rowCount } = await client.query({ name: 'unnest-alone', text: plainInsert, values });
    inserted += rowCount ?? 0;
    took = (performance.now() - begun) / 1_000;
  }
  return inserted / took;
}

/** Each unit's next hundred crossings, of as many units in turn as one statement holds. */
function rowsWriter({ units, since }: UnnestOptions): () => readonly CrossingRow[] {
  const perUnit = 100;
  let begun = 0;
  return () =>
    Array.from({ length: rowsPerStatement / perUnit }, () => {
      const unit = begun % units;
      const before = Math.floor(begun / units) * perUnit;
      begun += 1;
      return Array.from({ length: perUnit }, (_, offset) => {
        const sequence = before + offset + 1;
        const at = since + sequence * 10_000;
        const direction = sequence % 2 === 0 ? (-1 as const) : (1 as const);
        return {
          ...{
            message: 0,
            journal: 'unnest',
            journalId: unit + 1,
            device: unit + 1,
            storeId: (unit >> 1) + 1,
          },
          ...{ sequence, at, direction, uncertainty: null },
        };
      });
    }).flat();
}
