import type { ClientBase } from 'pg';

/** A journal of a device, by the random id that the unit gave it. */
export interface JournalName {
  readonly deviceId: number;
  readonly journal: string;
}

/**
 * The numbers that stand for journals in the table of crossings, of which the most recent `limit` are
 * remembered.
 *
 * A number is remembered only after the statement that made it has committed by itself: one remembered out
 * of a transaction that fails would later stand for another journal. For the same reason the memory
 * belongs to one connection; behind the next one may be a database that was restored or replaced.
 */
export class JournalIds {
  readonly #limit: number;
  readonly #ids = new Map<string, number>();

  constructor(limit = 20_000) {
    this.#limit = limit;
  }

  /** Makes known those of `journals` that are not. Must not run inside a transaction. */
  async learn(client: ClientBase, journals: readonly JournalName[]): Promise<void> {
    const unknown = journals.filter((journal) => !this.#ids.has(keyOf(journal)));
    if (unknown.length === 0) return;
    await this.#read(client, unknown);
    const missing = unknown.filter((journal) => !this.#ids.has(keyOf(journal)));
    if (missing.length === 0) return;
    await client.query(insertStatement, columns(missing));
    await this.#read(client, missing);
  }

  /** The number of a journal; undefined when it was not learnt, or its device is gone. */
  get(journal: JournalName): number | undefined {
    return this.#ids.get(keyOf(journal));
  }

  /** Forgets the ones learnt first. To be called between batches: what a batch learnt, it needs. */
  trim(): void {
    for (const key of this.#ids.keys()) {
      if (this.#ids.size <= this.#limit) return;
      this.#ids.delete(key);
    }
  }

  async #read(client: ClientBase, journals: readonly JournalName[]): Promise<void> {
    const { rows } = await client.query<{ id: number; device_id: number; name: string }>(
      selectStatement,
      columns(journals),
    );
    for (const row of rows) this.#ids.set(keyOf({ deviceId: row.device_id, journal: row.name }), row.id);
  }
}

function keyOf({ deviceId, journal }: JournalName): string {
  return `${deviceId}/${journal}`;
}

function columns(journals: readonly JournalName[]): [number[], string[]] {
  return [journals.map(({ deviceId }) => deviceId), journals.map(({ journal }) => journal)];
}

const selectStatement = `
  select id, device_id, name
  from journal join unnest($1::integer[], $2::text[]) as wanted (device_id, name) using (device_id, name)`;

const insertStatement = `
  insert into journal (device_id, name)
  select distinct device.id, wanted.name
  from unnest($1::integer[], $2::text[]) as wanted (device_id, name)
  join device on device.id = wanted.device_id
  order by 1, 2
  on conflict do nothing`;
