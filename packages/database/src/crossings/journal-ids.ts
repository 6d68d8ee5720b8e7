import { type Db, runStatement } from '../sql/query-builder.ts';

/** A journal of a device, by the random id that the unit gave it. */
export interface JournalName {
  readonly deviceId: number;
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
 * may lead to a database that was restored, or to a standby that lacks the latest journals.
 */
export class JournalIds {
  /** By device, and by the name of the journal. */
  readonly #ids = new Map<number, Map<string, number>>();

  /**
   * Adds those of `journals` that are new, and reads the ids of those that are not cached. Returns the devices that have
   * `mostJournals`; a journal that is not cached afterwards belongs to one of them, or to a device that no longer exists.
   * Must not run inside a transaction.
   */
  async load(db: Db, journals: readonly JournalName[]): Promise<ReadonlySet<number>> {
    const isUnknown = ({ deviceId, journal }: JournalName) => this.get(deviceId, journal) === undefined;
    if (!journals.some(isUnknown)) return new Set();
    if (this.#size > mostIds) this.#ids.clear();
    const unknown = journals.filter(isUnknown);
    const names = [JSON.stringify(unknown)];
    await runStatement(db, insertJournals, names);
    const found = await runStatement<FoundJournal>(db, readStatement, names);
    for (const { id, deviceId, name } of found) {
      if (id === null) continue;
      const ofDevice = this.#ids.get(deviceId) ?? new Map<string, number>();
      this.#ids.set(deviceId, ofDevice.set(name, id));
    }
    return new Set(found.flatMap(({ id, deviceId }) => (id === null ? deviceId : [])));
  }

  get #size(): number {
    return this.#ids.values().reduce((sum, ofDevice) => sum + ofDevice.size, 0);
  }

  /** The id of a journal; undefined if it is not cached. */
  get(deviceId: number, journal: string): number | undefined {
    return this.#ids.get(deviceId)?.get(journal);
  }
}

/** A journal of a device that exists; `id` is null if the device has too many of them. */
interface FoundJournal {
  readonly id: number | null;
  readonly deviceId: number;
  readonly name: string;
}

const readStatement = `
  select journal.id, device.id as device_id, wanted.journal as name
  from json_to_recordset($1) as wanted ("deviceId" integer, journal text)
  join device on device.id = "deviceId"
  left join journal on journal.device_id = device.id and journal.name = wanted.journal`;

/** Adds the journals that are new, as far as their devices are in the database and have room. */
export const insertJournals = `
  insert into journal (device_id, name)
  select distinct device.id, wanted.journal
  from json_to_recordset($1) as wanted ("deviceId" integer, journal text)
  join device on device.id = "deviceId"
  where not exists (select from journal where device_id = device.id and name = wanted.journal)
    and (select count(*) from journal where device_id = device.id) < ${mostJournals}
  order by 1, 2
  on conflict (device_id, name) do nothing`;
