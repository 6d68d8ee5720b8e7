import type { ClientBase } from 'pg';
import { numberArray } from './sql-arrays.ts';

/** A store of a device, from `since` (epoch ms) on. */
interface Assignment {
  readonly since: number;
  readonly storeId: number;
}

/**
 * The stores that devices belong to, remembered for as long as no assignment changes, so that storing a
 * crossing needs no look-up. Belongs to one connection, as `JournalIds` does.
 */
export class DeviceStores {
  readonly #limit: number;
  readonly #assignments = new Map<number, readonly Assignment[]>();
  #version = '';

  constructor(limit = 20_000) {
    this.#limit = limit;
  }

  /**
   * Makes known where these devices belong. To be called in a transaction that holds `assignmentLock`, with the
   * version of assignments that it has read: what is known stays true until it ends.
   */
  async learn(client: ClientBase, version: string, deviceIds: readonly number[]): Promise<void> {
    if (version !== this.#version || this.#assignments.size > this.#limit) this.#assignments.clear();
    this.#version = version;
    const unknown = new Set(deviceIds.filter((id) => !this.#assignments.has(id)));
    if (unknown.size === 0) return;
    const { rows } = await client.query<AssignmentRow>(assignments, [numberArray([...unknown])]);
    const found = Map.groupBy(rows, ({ device_id }) => device_id);
    for (const id of unknown) {
      const known = found.get(id) ?? [];
      this.#assignments.set(
        id,
        known.map(({ since, store_id }) => ({ since, storeId: store_id })),
      );
    }
  }

  /** The store of a device at an instant (epoch ms); undefined when it belongs to none. */
  storeAt(deviceId: number, instant: number): number | undefined {
    return this.#assignments.get(deviceId)?.find(({ since }) => since <= instant)?.storeId;
  }
}

interface AssignmentRow {
  readonly device_id: number;
  readonly since: number;
  readonly store_id: number;
}

/** The latest assignment first. */
const assignments = `
  select device_id, (extract(epoch from since) * 1000)::float8 as since, store_id
  from device_assignment where device_id = any($1::integer[]) order by device_id, device_assignment.since desc`;
