import { setTimeout as delay } from 'node:timers/promises';
import { storeMessages } from '@visitor-counter/database/ingest/store-messages';
import { StoringConnection } from '@visitor-counter/database/ingest/storing-connection';
import { storingErrorPolicy } from '@visitor-counter/database/ingest/storing-error';
import { startProjector } from '@visitor-counter/database/projection/projector';
import { seed } from '@visitor-counter/test/seed';
import { expect, onTestFinished } from 'vitest';

/** More than a thousand crossings in a second, stored by two writers while a projector runs. */
export interface IngestLoad {
  /** Crossings that were stored since the start. */
  readonly stored: number;
  /** Ends it when what is being stored is committed. */
  stop(): Promise<void>;
}

const devices = 8;
const batch = 40;
/** Crossings of the same device are so far apart (ms): a batch has several quarter hours. */
const step = 120_000;
const begin = Date.UTC(2026, 0, 1);

/**
 * Between two transactions of a writer (ms). A backup or restore is a process that takes seconds, also of a small
 * database; a larger one only makes them longer.
 */
const pause = 250;

const directionOf = (sequence: number) => (sequence % 7 < 4 ? 1 : -1);

/** Stores crossings whose content follows from their device and sequence, until it is stopped. */
export async function startIngestLoad(url: string): Promise<IngestLoad> {
  const rows = seed(url);
  const companyId = await rows.company('Acme');
  const ids: number[] = [];
  for (let n = 0; n < devices; n += 1) {
    const storeId = n % 2 === 0 ? await rows.store({ companyId, sid: `S-${n}` }) : n / 2 + 0.5;
    ids.push(await rows.device({ companyId, storeId: Math.ceil(storeId), serial: `CU-${n}` }));
  }
  const projector = startProjector({ url, applicationName: 'test projector', onProblem: () => {} });
  const stopping = new AbortController();
  const load = { stored: 0 };
  const writers = [0, 1].map((writer) =>
    write(
      url,
      ids.filter((_, index) => index % 2 === writer),
      load,
      stopping.signal,
    ),
  );
  const stop = async () => {
    stopping.abort();
    await Promise.all(writers);
    await projector.close();
  };
  onTestFinished(stop);
  return {
    get stored() {
      return load.stored;
    },
    stop,
  };
}

async function write(url: string, ids: readonly number[], load: { stored: number }, stopping: AbortSignal) {
  const connection = new StoringConnection(url, 'test load');
  try {
    for (let first = 1; !stopping.aborted; first += batch) {
      const messages = ids.map((deviceId) => ({
        deviceId,
        topic: 't',
        rejections: [],
        batch: { journal: `j-${deviceId}`, crossings: crossingsFrom(first) },
      }));
      let isStored = false;
      while (!isStored && !stopping.aborted) {
        try {
          await connection.use((client, memory) => storeMessages(client, memory, messages));
          isStored = true;
          load.stored += batch * ids.length;
          await delay(pause);
        } catch (error) {
          if (storingErrorPolicy(error) === 'reject') throw error;
        }
      }
    }
  } finally {
    await connection.close();
  }
}

function crossingsFrom(first: number) {
  return Array.from({ length: batch }, (_, index) => {
    const sequence = first + index;
    const direction = directionOf(sequence) === 1 ? (1 as const) : (-1 as const);
    return { sequence, at: begin + sequence * step, direction };
  });
}

/** Every journal has its crossings from the first to some last one, as they were stored; returns how many there are. */
export async function expectWholeJournals(url: string): Promise<number> {
  const rows = await seed(url).query(
    `select count(*)::integer as stored, max(sequence)::integer as last, min(sequence)::integer as first,
       count(*) filter (where at <> to_timestamp((${begin}::bigint + sequence * ${step}) / 1000.0)
         or direction <> case when sequence % 7 < 4 then 1 else -1 end)::integer as wrong
     from crossing group by journal_id`,
  );
  for (const { stored, last, first, wrong } of rows)
    expect({ stored, first, wrong }).toEqual({ stored: last, first: 1, wrong: 0 });
  return rows.reduce((sum, { stored }) => sum + Number(stored), 0);
}
