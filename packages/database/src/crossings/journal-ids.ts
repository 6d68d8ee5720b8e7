import type { ClientBase } from 'pg';

/** A journal of a device, by the random id that the unit gave it. */
export interface JournalName {
  readonly deviceId: number;
  /** The serial number that the sender logged in with; a restored database may have another device of this id. */
  readonly serial?: string | undefined;
  readonly journal: string;
}

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
   * Reads the ids of `journals` that are not cached, and adds new journals as far as `limits` allow. Returns those that
   * exceed the limits; a journal that is neither cached afterwards nor returned belongs to a device that no longer exists.
   * Must not run inside a transaction.
   */
  async load(
    client: ClientBase,
    journals: readonly JournalName[],
    limits?: JournalLimits,
  ): Promise<readonly ExcessJournal[]> {
    if (this.#size > mostIds) this.#ids.clear();
    await this.#read(client, this.#unknown(journals));
    const missing = this.#unknown(journals);
    if (missing.length === 0) return [];
    const { allowed, excess } = limits
      ? divideByLimits(missing, await countJournals(client, missing), limits)
      : { allowed: missing, excess: [] };
    if (allowed.length > 0) await client.query(insertStatement, columns(allowed));
    await this.#read(client, allowed);
    return excess;
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

  async #read(client: ClientBase, journals: readonly JournalName[]): Promise<void> {
    if (journals.length === 0) return;
    const { rows } = await client.query<{ id: number; deviceId: number; name: string }>(
      selectStatement,
      columns(journals),
    );
    for (const { id, deviceId, name } of rows) {
      const ofDevice = this.#ids.get(deviceId) ?? new Map<string, number>();
      this.#ids.set(deviceId, ofDevice.set(name, id));
    }
  }
}

/** A journal that is not stored, and why. */
export interface ExcessJournal extends JournalName {
  readonly reason: string;
}

/** How many journals a device has, and how many of them are not older than a day. */
interface JournalCount {
  readonly total: number;
  readonly recent: number;
}

async function countJournals(
  client: ClientBase,
  journals: readonly JournalName[],
): Promise<ReadonlyMap<number, JournalCount>> {
  const deviceIds = [...new Set(journals.map(({ deviceId }) => deviceId))];
  const { rows } = await client.query<JournalCount & { deviceId: number }>(countStatement, [deviceIds]);
  return new Map(rows.map((row) => [row.deviceId, row]));
}

/** Divides new journals, in the order in which they came, into those that a device may have and the others. */
function divideByLimits(
  journals: readonly JournalName[],
  counts: ReadonlyMap<number, JournalCount>,
  { journalsPerDay, journals: most }: JournalLimits,
): { readonly allowed: readonly JournalName[]; readonly excess: readonly ExcessJournal[] } {
  const allowed: JournalName[] = [];
  const excess: ExcessJournal[] = [];
  const added = new Map<number, number>();
  for (const name of journals) {
    const { total, recent } = counts.get(name.deviceId) ?? { total: 0, recent: 0 };
    const more = added.get(name.deviceId) ?? 0;
    if (total + more >= most) excess.push({ ...name, reason: `limit: more than ${most} journals` });
    else if (recent + more >= journalsPerDay)
      excess.push({ ...name, reason: `limit: more than ${journalsPerDay} new journals in 24 hours` });
    else {
      allowed.push(name);
      added.set(name.deviceId, more + 1);
    }
  }
  return { allowed, excess };
}

function columns(journals: readonly JournalName[]): [number[], string[], (string | undefined)[]] {
  return [
    journals.map(({ deviceId }) => deviceId),
    journals.map(({ journal }) => journal),
    journals.map(({ serial }) => serial),
  ];
}

const selectStatement = `
  select journal.id, device_id as "deviceId", journal.name
  from journal
  join unnest($1::integer[], $2::text[], $3::text[]) as wanted (device_id, name, serial) using (device_id, name)
  join device on device.id = device_id and device.serial = coalesce(wanted.serial, device.serial)`;

const countStatement = `
  select device_id as "deviceId", count(*)::integer as total,
    (count(*) filter (where created_at > now() - interval '24 hours'))::integer as recent
  from journal where device_id = any($1::integer[]) group by device_id`;

const insertStatement = `
  insert into journal (device_id, name)
  select distinct device.id, wanted.name
  from unnest($1::integer[], $2::text[], $3::text[]) as wanted (device_id, name, serial)
  join device on device.id = wanted.device_id and device.serial = coalesce(wanted.serial, device.serial)
  order by 1, 2
  on conflict do nothing`;

/** The most journals that are stored for one device. */
export interface JournalLimits {
  /** New journals within 24 hours. */
  readonly journalsPerDay: number;
  /** Journals in all. */
  readonly journals: number;
}
