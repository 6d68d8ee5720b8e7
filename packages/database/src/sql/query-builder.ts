import {
  CamelCasePlugin,
  CompiledQuery,
  Kysely,
  type PostgresCursor,
  PostgresDialect,
  type PostgresPoolClient,
  type PostgresQueryResult,
  sql,
  type Transaction as TransactionOf,
} from 'kysely';
import type pg from 'pg';
import type { DB } from './schema.ts';

/** The query builder over the tables of this product, also within a transaction. */
export type Db = Kysely<DB>;

/** The query builder within a transaction. */
export type Transaction = TransactionOf<DB>;

/** Where the query builder gets its connections from; each is released once. */
interface Connections {
  connect(): Promise<pg.PoolClient>;
  /** With an error for one that can no longer be used. */
  release(client: pg.PoolClient, error?: Error): void;
  end(): Promise<void>;
  /** Prepares each text with parameters, so that a connection plans it once: for processes that run few texts. */
  readonly prepared?: boolean | undefined;
}

export function queryBuilder({ connect, release, end, prepared }: Connections): Db {
  const names = prepared ? new Map<string, string>() : undefined;
  return builderOver(async () => {
    const client = await connect();
    return new Connection(client, { release: (error) => release(client, error), names });
  }, end);
}

/** The query builder over one connection, which prepares each text. One caller at a time may use it. */
export function preparedOn(client: pg.ClientBase): Db {
  const connection = new Connection(client, { names: new Map() });
  return builderOver(async () => connection);
}

function builderOver(connect: () => Promise<Connection>, end = async () => {}): Db {
  return new Kysely({
    dialect: new PostgresDialect({ pool: { connect, end, options: {} } }),
    plugins: [new CamelCasePlugin({ maintainNestedObjectKeys: true })],
  });
}

/**
 * Receives results by callback. Results of the driver's own promises stay reachable through several collections of
 * the young generation, which then copied 20 MB rather than 1, for 20 ms; results of 1,000 rows cost twice as much.
 */
class Connection implements PostgresPoolClient {
  readonly #client: pg.ClientBase;
  readonly #release: (error?: Error) => void;
  /** The names of prepared statements, by their texts. */
  readonly #names: Map<string, string> | undefined;
  /** The error after which the connection cannot be used. */
  #fault: Error | undefined;

  constructor(
    client: pg.ClientBase,
    {
      release = () => {},
      names,
    }: { release?: (error?: Error) => void; names: Map<string, string> | undefined },
  ) {
    this.#client = client;
    this.#release = release;
    this.#names = names;
  }

  release(): void {
    this.#release(this.#fault);
  }

  query<Row>(sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<Row>>;
  query<Row>(cursor: PostgresCursor<Row>): PostgresCursor<Row>;
  query(sql: string | PostgresCursor<unknown>, parameters: readonly unknown[] = []): unknown {
    if (typeof sql !== 'string') throw new TypeError('there are no cursors here');
    /* Such as the end of a transaction: it would wait for as long again. */
    if (this.#fault) return Promise.reject(this.#fault);
    return new Promise((resolve, reject) => {
      this.#client.query(this.#config(sql, parameters), (error, result) => {
        if (!error) return resolve(result);
        if (isUnanswered(error) || isReadOnly(error)) this.#fault = error;
        return reject(error);
      });
    });
  }

  #config(text: string, parameters: readonly unknown[]): pg.QueryConfig {
    const config = { text, values: [...parameters] };
    if (this.#names === undefined || parameters.length === 0) return config;
    const name = this.#names.get(text) ?? `statement-${this.#names.size}`;
    this.#names.set(text, name);
    return { ...config, name };
  }
}

/** Whether a query exceeded its deadline: the driver has stopped waiting, but the query still runs on the connection. */
function isUnanswered(error: Error): boolean {
  return error.message === 'Query read timeout';
}

/** True when the server refuses to write: it is a standby, or its disk is full. Another connection may lead to another server. */
function isReadOnly(error: Error): boolean {
  return 'code' in error && error.code === '25006';
}

/** A PostgreSQL array literal of numbers, with null for infinite ones; pg's own conversion of arrays is several times slower. */
export function numberArray(numbers: readonly (number | null)[]): string {
  return `{${JSON.stringify(numbers).slice(1, -1)}}`;
}

/** What a column is compared with that must be one of many numbers: one parameter instead of one for each. */
export function anyOf(numbers: readonly number[]) {
  return sql<number>`any(${integers(numbers)})`;
}

/** Numbers as an array of integers, for `unnest`. */
export function integers(numbers: readonly number[]) {
  return sql`${numberArray(numbers)}::integer[]`;
}

/** Instants (epoch ms, also infinite) as an array of timestamptz, for `unnest`. */
export function instants(ms: readonly number[]) {
  return sql`${ms.map(timestamp)}::timestamptz[]`;
}

/** The columns of rows as PostgreSQL arrays, for `unnest`. */
export function numberColumns<const Key extends string>(
  rows: readonly { readonly [Name in Key]: number | null }[],
  ...keys: readonly Key[]
): string[] {
  return keys.map((key) => numberArray(rows.map((row) => row[key])));
}

/** The last instant (epoch ms) that ISO 8601 writes with four digits of year, and so PostgreSQL reads. */
const lastInstant = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/**
 * An instant (epoch ms, also infinite) as text for a timestamptz, limited to 1970 to 9999: no crossing and no device
 * is outside, so the limit does not change what a bound selects.
 */
export function timestamp(instant: number): string {
  return new Date(Math.min(Math.max(instant, 0), lastInstant)).toISOString();
}

/** An instant (epoch ms, also infinite) as a value of the query builder. */
export function instant(ms: number) {
  return sql<number>`${timestamp(ms)}::timestamptz`;
}

/**
 * Runs a statement whose text is always the same: one that runs often, since it is not composed each time, or that uses a
 * parameter several times. Others use the query builder, and `sql` for what it cannot express; a connection without one, as
 * while a database is set up, has `query` of the driver.
 */
export async function runStatement<Row>(
  db: Db,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  return (await db.executeQuery<Row>(CompiledQuery.raw(text, [...values]))).rows;
}
