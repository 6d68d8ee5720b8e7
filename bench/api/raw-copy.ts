import pg, { type Connection, type Submittable } from 'pg';

/** The bytes of an answer, and its time (ms). */
export interface Copied {
  readonly bytes: number;
  readonly ms: number;
}

/** A connection for COPY, opened before the measurement. */
export interface RawCopy extends AsyncDisposable {
  /** Runs a COPY to the client and discards the data. */
  run(statement: string): Promise<Copied>;
}

export async function openRawCopy(url: string): Promise<RawCopy> {
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
