import { CompiledQuery, type Kysely } from 'kysely';
import type { ClientBase, QueryResultRow } from 'pg';

/** Runs a statement that always has this text under this name. */
export type RunStatement = <Row extends QueryResultRow>(
  name: string,
  text: string,
  values: readonly unknown[],
) => Promise<Row[]>;

/** Runs statements on a connection, which plans each of them once. */
export function onClient(client: ClientBase): RunStatement {
  return async <Row extends QueryResultRow>(name: string, text: string, values: readonly unknown[]) =>
    (await client.query<Row>({ name, text, values: [...values] })).rows;
}

/** Runs statements where the query builder does: in a transaction, in a snapshot. */
export function onKysely(db: Kysely<unknown>): RunStatement {
  return async <Row extends QueryResultRow>(_name: string, text: string, values: readonly unknown[]) =>
    (await db.executeQuery<Row>(CompiledQuery.raw(text, [...values]))).rows;
}
