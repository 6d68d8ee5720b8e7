import type { ClientBase } from 'pg';
import { numberArray } from '../sql/arrays.ts';

/** A store of a device, from `since` (epoch ms) on. */
interface Assignment {
  readonly since: number;
  readonly storeId: number;
}

/** Devices in the cache. */
const mostDevices = 20_000;

/**
 * A cache of the stores that devices belong to, valid until an assignment changes, so that storing a crossing needs
 * no query. Each connection has its own, like `JournalIds`.
 */
export class DeviceStores {
  readonly #assignments = new Map<number, readonly Assignment[]>();
  #version = '';

  /**
   * The version of the cached assignments, which are valid as long as the database has the same version. Writers
   * compare the two in a transaction that has `lockKeys.assignments`.
   */
  get version(): string {
    return this.#version;
  }

  /** Loads the assignments of these devices, at the same version as all others in the cache. */
  async load(client: ClientBase, deviceIds: readonly number[]): Promise<void> {
    if (this.#assignments.size > mostDevices) this.clear();
    const unknown = new Set(deviceIds.filter((id) => !this.#assignments.has(id)));
    if (unknown.size === 0) return;
    const version = await this.#read(client, unknown);
    if (version === this.#version) return;
    this.clear();
    this.#version = await this.#read(client, new Set(deviceIds));
  }

  /** Empties the cache, when the database has another version. */
  clear(): void {
    this.#assignments.clear();
  }

  /** The assignments of a device, the latest first; undefined if they are not cached. */
  assignmentsOf(deviceId: number): readonly Assignment[] | undefined {
    return this.#assignments.get(deviceId);
  }

  /** Returns the version at which the assignments were read. */
  async #read(client: ClientBase, deviceIds: ReadonlySet<number>): Promise<string> {
    const { rows } = await client.query<AssignmentRow>(assignments, [numberArray([...deviceIds])]);
    const found = Map.groupBy(rows, ({ deviceId }) => deviceId);
    for (const id of deviceIds) this.#assignments.set(id, found.get(id) ?? []);
    return rows[0]?.version ?? '';
  }
}

/** The store at an instant (epoch ms); undefined if there is none. */
export function storeAt(assignments: readonly Assignment[], instant: number): number | undefined {
  return assignments.find(({ since }) => since <= instant)?.storeId;
}

/** If there are no assignments, there is one row with the version and nulls. */
interface AssignmentRow extends Assignment {
  readonly version: string;
  readonly deviceId: number | null;
}

/** The latest assignment first; one statement, so that the version belongs to the assignments. */
const assignments = `
  select version, device_id as "deviceId", (extract(epoch from since) * 1000)::float8 as since, store_id as "storeId"
  from assignment_version left join device_assignment on device_id = any($1::integer[])
  order by device_id, device_assignment.since desc`;
