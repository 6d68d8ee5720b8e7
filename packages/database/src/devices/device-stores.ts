import type { ClientBase } from 'pg';
import { numberArray } from '../sql/arrays.ts';

/** A store of a device, from `since` (epoch ms) on. */
export interface Assignment {
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
   * The version of all that is known: as long as it is the database's own, every answer is true. Whoever stores
   * compares them in a transaction that holds `assignmentLock`.
   */
  get version(): string {
    return this.#version;
  }

  /** Makes known where these devices belong, at the version of all others that are known. */
  async learn(client: ClientBase, deviceIds: readonly number[]): Promise<void> {
    if (this.#assignments.size > this.#limit) this.forget();
    const unknown = new Set(deviceIds.filter((id) => !this.#assignments.has(id)));
    if (unknown.size === 0) return;
    const version = await this.#read(client, unknown);
    if (version === this.#version) return;
    this.forget();
    this.#version = await this.#read(client, new Set(deviceIds));
  }

  /** For when the database has another version. */
  forget(): void {
    this.#assignments.clear();
  }

  /** Where a device belongs, the latest first; undefined when it was not learnt. */
  assignmentsOf(deviceId: number): readonly Assignment[] | undefined {
    return this.#assignments.get(deviceId);
  }

  /** Gives the version at which it was read. */
  async #read(client: ClientBase, deviceIds: ReadonlySet<number>): Promise<string> {
    const { rows } = await client.query<AssignmentRow>(assignments, [numberArray([...deviceIds])]);
    const found = Map.groupBy(rows, ({ device_id }) => device_id);
    for (const id of deviceIds) {
      const known = found.get(id) ?? [];
      this.#assignments.set(
        id,
        known.map(({ since, store_id }) => ({ since, storeId: store_id })),
      );
    }
    return rows[0]?.version ?? '';
  }
}

/** The store at an instant (epoch ms); undefined when it is none. */
export function storeAt(assignments: readonly Assignment[], instant: number): number | undefined {
  return assignments.find(({ since }) => since <= instant)?.storeId;
}

/** A version without assignments, where none is found, has nulls. */
interface AssignmentRow {
  readonly version: string;
  readonly device_id: number | null;
  readonly since: number;
  readonly store_id: number;
}

/** The latest assignment first; one statement, so that all of it is of one moment. */
const assignments = `
  select version, device_id, (extract(epoch from since) * 1000)::float8 as since, store_id
  from assignment_version left join device_assignment on device_id = any($1::integer[])
  order by device_id, device_assignment.since desc`;

/**
 * The advisory lock between those who store crossings and an operator who moves a device.
 *
 * A crossing's store is looked up when it is stored. Who stores takes this lock shared, in a statement
 * before the look-up; who changes `device_assignment` takes it exclusively (`pg_advisory_xact_lock`), so
 * that after a move no crossing is stored by what was true before it.
 */
export const assignmentLock = 7_210_311_506;
