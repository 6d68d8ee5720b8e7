import { peakMemory, residentMemory } from '../shared/process-facts.ts';
import { type Answered, call } from './call.ts';
import { openRawCopy } from './raw-copy.ts';
import { credentials, startApiProgram } from './start-api-program.ts';
import { everything, million, oneDay } from './workload.ts';

/** One round: a million crossings by COPY, and from the api in a new process. */
export interface ExportRound {
  /** ms */
  readonly copy: number;
  readonly json: number;
  readonly gzip: number;
  /** The largest growth of memory (MB) since before the first export. */
  readonly memory: number;
  /** ms */
  readonly firstByteOfDay: number;
  readonly firstByteOfAll: number;
}

const operation = 'GetCountsByCompanyAndDatePublic';

export async function measureExport(databaseUrl: string): Promise<ExportRound> {
  const copy = await measureCopy(databaseUrl);
  return { copy, ...(await measureApi(databaseUrl)) };
}

async function measureCopy(databaseUrl: string): Promise<number> {
  await using raw = await openRawCopy(databaseUrl);
  const copy = () =>
    raw.run(`copy (
      select journal_id, device_id, sequence, at, direction from crossing
      where store_id between 1 and 200
        and at >= '${million.DateFrom}T00:00:00+01:00'
        and at < '${million.DateTo}T00:00:00+01:00'::timestamptz + interval '1 day'
    ) to stdout (format binary)`);
  await copy();
  const { ms, bytes } = await copy();
  if (bytes < 40_000_000) throw new Error(`the copy has ${bytes} bytes only`);
  return ms;
}

async function measureApi(databaseUrl: string) {
  await using api = await startApiProgram(databaseUrl);
  const ask = (range: object, options = {}) =>
    call(api.url(operation), { ...credentials, ...range }, options);
  for (let count = 0; count < 20; count += 1) await ask(oneDay, { onlyFirstByte: true });
  const before = await residentMemory(api.pid);
  await ask(million);
  const json = await ask(million);
  const memory = ((await peakMemory(api.pid)) - before) / 1_048_576;
  const gzip = await ask(million, { headers: { 'accept-encoding': 'gzip' } });
  return {
    ...{ json: json.whole, gzip: gzip.whole, memory },
    firstByteOfDay: await firstByte(() => ask(oneDay, { onlyFirstByte: true })),
    firstByteOfAll: await firstByte(() => ask(everything, { onlyFirstByte: true })),
  };
}

/** The slowest of a few. */
async function firstByte(ask: () => Promise<Answered>): Promise<number> {
  let slowest = 0;
  for (let count = 0; count < 10; count += 1) slowest = Math.max(slowest, (await ask()).firstByte);
  return slowest;
}
