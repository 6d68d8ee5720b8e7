import type { Kysely } from 'kysely';
import { runStatement } from '../sql/run-statement.ts';
import type { DB } from '../sql/schema.ts';

/** A journal of a device, by the random id that the unit gave it. */
export interface JournalName {
  readonly deviceId: number;
  /** The serial number that the sender logged in with; a restored database may have another device of this id. */
  readonly serial?: string | undefined;
  readonly journal: string;
}

/** A device with this many journals gets no further ones: readers of a device read all of its journals. */
export const mostJournals = 1_000;

/** Ids in the cache: units that begin ever new journals must not fill the memory. */
const mostIds = 20_000;

/**
 * A cache of the ids of journals.
 *
 * An id is cached only after the statement that inserted it has committed on its own: an id from a transaction that
 * fails could later belong to another journal. For the same reason each connection has its own cache: the next one
 * may lead to a database that was restored or replaced.
 */
export class JournalIds {
  /** By device, and by the name of the journal. */
  readonly #ids = new Map<number, Map<string, number>>();

  /**
   * Reads the ids of `journals` that are not cached, and adds new journals. Returns the devices that have `mostJournals`; a
   * journal that is not cached afterwards belongs to one of them, or to a device that no longer exists. Must not run inside a
   * transaction.
   */
  async load(db: Kysely<DB>, journals: readonly JournalName[]): Promise<ReadonlySet<number>> {
    if (this.#size > mostIds) this.#ids.clear();
    await this.#read(db, this.#unknown(journals));
    const missing = this.#unknown(journals);
    if (missing.length === 0) return new Set();
    await runStatement(db, insertStatement, columns(missing));
    await this.#read(db, missing);
    const excess = this.#unknown(missing);
    if (excess.length === 0) return new Set();
    const known = await runStatement<{ id: number }>(db, knownStatement, columns(excess));
    return new Set(known.map(({ id }) => id));
  }

  get #size(): number {
    return this.#ids.values().reduce((sum, ofDevice) => sum + ofDevice.size, 0);
  }

  /** The journals that are not cached, each once. */
  #unknown(journals: readonly JournalName[]): JournalName[] {
    const unknown = new Map<string, JournalName>();
    for (const name of journals) {
      const { deviceId, journal } = name;
      if (this.get(deviceId, journal) === undefined) unknown.set(`${deviceId} ${journal}`, name);
    }
    return [...unknown.values()];
  }

  /** The id of a journal; undefined if it is not cached, or its device no longer exists under this serial number. */
  get(deviceId: number, journal: string): number | undefined {
    return this.#ids.get(deviceId)?.get(journal);
  }

  async #read(db: Kysely<DB>, journals: readonly JournalName[]): Promise<void> {
    if (journals.length === 0) return;
    const found = await runStatement<{ id: number; deviceId: number; name: string }>(
      db,
      selectStatement,
      columns(journals),
    );
    for (const { id, deviceId, name } of found) {
      const ofDevice = this.#ids.get(deviceId) ?? new Map<string, number>();
      this.#ids.set(deviceId, ofDevice.set(name, id));
    }
  }
}

function columns(journals: readonly JournalName[]): [number[], string[], (string | undefined)[]] {
  return [
    journals.map(({ deviceId }) => deviceId),
    journals.map(({ journal }) => journal),
    journals.map(({ serial }) => serial),
  ];
}

const selectStatement = `
  select journal.id, device_id, journal.name
  from journal
  join unnest($1::integer[], $2::text[], $3::text[]) as wanted (device_id, name, serial) using (device_id, name)
  join device on device.id = device_id and device.serial = coalesce(wanted.serial, device.serial)`;

const knownStatement = `
  select device.id
  from unnest($1::integer[], $2::text[], $3::text[]) as wanted (device_id, name, serial)
  join device on device.id = wanted.device_id and device.serial = coalesce(wanted.serial, device.serial)`;

const insertStatement = `
  insert into journal (device_id, name)
  select distinct device.id, wanted.name
  from unnest($1::integer[], $2::text[], $3::text[]) as wanted (device_id, name, serial)
  join device on device.id = wanted.device_id and device.serial = coalesce(wanted.serial, device.serial)
  where (select count(*) from journal where device_id = device.id) < ${mostJournals}
  order by 1, 2
  on conflict do nothing`;
