import { numberColumns } from '@visitor-counter/database/sql/query-builder';
import type pg from 'pg';

/** Rows in one statement: the largest transaction of the gateway. */
const rowsPerStatement = 2_000;

export interface UnnestOptions {
  /** Devices, whose journals grow concurrently. */
  readonly units: number;
  readonly warmUp: number;
  readonly seconds: number;
  /** The instant of the first crossings (epoch ms). */
  readonly since: number;
}

/**
 * Rows per second of the minimal way to store: rows inserted into the product's table as the gateway does without
 * conflicts, sorted by key, over one connection, one statement per transaction, without reads, checks or other tables.
 * Without `on conflict`, which would cost about a third more.
 */
export async function insertByUnnest(client: pg.Client, options: UnnestOptions): Promise<number> {
  const nextRows = rowsWriter(options);
  await insertFor(client, nextRows, options.warmUp);
  return insertFor(client, nextRows, options.seconds);
}

const columns = ['journalId', 'device', 'sequence', 'at', 'storeId', 'uncertainty', 'direction'] as const;

type Row = Readonly<Record<(typeof columns)[number], number | null>>;

const plainInsert = `
  insert into crossing (journal_id, device_id, sequence, at, store_id, uncertainty_ms, direction, transaction)
  select journal_id, device_id, sequence, to_timestamp(at / 1000), store_id, uncertainty, direction,
    (select current_transaction())
  from unnest(
    $1::integer[], $2::integer[], $3::bigint[], $4::double precision[], $5::integer[], $6::bigint[], $7::smallint[]
  ) as sent (journal_id, device_id, sequence, at, store_id, uncertainty, direction)`;

async function insertFor(
  client: pg.Client,
  nextRows: () => readonly Row[],
  seconds: number,
): Promise<number> {
  const begun = performance.now();
  let inserted = 0;
  let took = 0;
  while (took < seconds) {
    const values = numberColumns(nextRows(), ...columns);
    const { rowCount } = await client.query({ name: 'unnest-alone', text: plainInsert, values });
    inserted += rowCount ?? 0;
    took = (performance.now() - begun) / 1_000;
  }
  return inserted / took;
}

/** The next hundred crossings of each unit, for as many units as fit into one statement. */
function rowsWriter({ units, since }: UnnestOptions): () => readonly Row[] {
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
          journalId: unit + 1,
          device: unit + 1,
          storeId: (unit >> 1) + 1,
          sequence,
          at,
          direction,
          uncertainty: null,
        };
      });
    }).flat();
}
