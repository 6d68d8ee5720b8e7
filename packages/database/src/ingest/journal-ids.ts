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
  /** By device, and by the name of the journal. */
  readonly #ids = new Map<number, Map<string, number>>();
  #size = 0;

  constructor(limit = 20_000) {
    this.#limit = limit;
  }

  /** Makes known those of `journals` that are not. Must not run inside a transaction. */
  async learn(client: ClientBase, journals: readonly JournalName[]): Promise<void> {
    const unknown = journals.filter(({ deviceId, journal }) => this.get(deviceId, journal) === undefined);
    if (unknown.length === 0) return;
    await this.#read(client, unknown);
    const missing = unknown.filter(({ deviceId, journal }) => this.get(deviceId, journal) === undefined);
    if (missing.length === 0) return;
    await client.query(insertStatement, columns(missing));
    await this.#read(client, missing);
  }

  /** The number of a journal; undefined when it was not learnt, or its device is gone. */
  get(deviceId: number, journal: string): number | undefined {
    return this.#ids.get(deviceId)?.get(journal);
  }

  /** Forgets the devices learnt first. To be called between batches: what a batch learnt, it needs. */
  trim(): void {
    for (const [deviceId, { size }] of this.#ids) {
      if (this.#size <= this.#limit) return;
      this.#ids.delete(deviceId);
      this.#size -= size;
    }
  }

  async #read(client: ClientBase, journals: readonly JournalName[]): Promise<void> {
    const { rows } = await client.query<{ id: number; device_id: number; name: string }>(
      selectStatement,
      columns(journals),
    );
    for (const { id, device_id: deviceId, name } of rows) {
      const ofDevice = this.#ids.get(deviceId) ?? new Map<string, number>();
      this.#ids.set(deviceId, ofDevice);
      if (!ofDevice.has(name)) this.#size += 1;
      ofDevice.set(name, id);
    }
  }
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
