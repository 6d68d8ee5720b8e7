import pg, { type Connection, type Submittable } from 'pg';
import { peakMemory, residentMemory } from '../shared/process-facts.ts';
import { type Answered, call } from './call.ts';
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
    json: json.whole,
    gzip: gzip.whole,
    memory,
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

/** The bytes of an answer, and its time (ms). */
interface Copied {
  readonly bytes: number;
  readonly ms: number;
}

/** A connection for COPY, opened before the measurement. */
interface RawCopy extends AsyncDisposable {
  /** Runs a COPY to the client and discards the data. */
  run(statement: string): Promise<Copied>;
}

async function openRawCopy(url: string): Promise<RawCopy> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return {
    run: async (statement) => {
      const begin = performance.now();
      const bytes = await new Promise<number>((resolve, reject) => {
        client.query(new ByteCount(statement, resolve, reject));
      });
      return { bytes, ms: performance.now() - begin };
    },
    [Symbol.asyncDispose]: () => client.end(),
  };
}

/** Type, length and state of the message that ends every answer (ReadyForQuery, idle). */
const end = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);

/** Reads the socket instead of the driver, which would parse every row, and returns it with the last message. */
class ByteCount implements Submittable {
  readonly #statement: string;
  readonly #done: (bytes: number) => void;
  readonly #failed: (error: Error) => void;

  constructor(statement: string, done: (bytes: number) => void, failed: (error: Error) => void) {
    this.#statement = statement;
    this.#done = done;
    this.#failed = failed;
  }

  submit({ stream }: Connection): void {
    const readers = stream.listeners('data').filter((reader) => typeof reader === 'function');
    stream.removeAllListeners('data');
    let bytes = 0;
    let tail = Buffer.alloc(0);
    stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      tail = Buffer.concat([tail, chunk.subarray(-end.length)]).subarray(-end.length);
      if (!tail.equals(end)) return;
      stream.removeAllListeners('data');
      for (const reader of readers) stream.on('data', (data) => Reflect.apply(reader, stream, [data]));
      stream.emit('data', end);
      this.#done(bytes);
    });
    const message = Buffer.from(`${this.#statement}\0`);
    const head = Buffer.alloc(5);
    head.write('Q');
    head.writeInt32BE(message.length + 4, 1);
    stream.write(Buffer.concat([head, message]));
  }

  handleError(error: Error): void {
    this.#failed(error);
  }

  /* Completes the query for the driver, which has not seen the answer. */
  handleReadyForQuery(): void {}
}
