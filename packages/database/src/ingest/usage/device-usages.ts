import { LRUCache } from 'lru-cache';
import type { ClientBase } from 'pg';
import type { CrossingRow } from '../../crossings/crossing-row.ts';
import { numberArray, numberColumns } from '../../sql/arrays.ts';
import { runStatement } from '../../sql/run-statement.ts';
import { arrivalDays, type CountLimits, type DeviceUsage, dayOf, type ExactUsage } from './count-limits.ts';

/** The most devices in the cache, 100 bytes each; those used least recently are evicted. */
const remembered = 100_000;

/** The counts of a device are written when this many crossings are not in them. */
const worthWriting = 1_000;

/** The shortest time between two writes (ms). */
const writeInterval = 1_000;

/** The unwritten counts of a device: its crossings in total, and by day (days since 1970). */
interface Unwritten {
  crossings: number;
  readonly days: Map<number, { crossed: number; arrived: number }>;
}

/**
 * How many crossings of each device are stored, cached in this process and written from time to time, so that neither a
 * restart nor another gateway begins at zero. Exact while one gateway stores a device's crossings; several together can
 * exceed a limit by the counts that they have not written yet.
 *
 * Used by one transaction after the other, on the connection that stores, so that no count is read while it is written.
 */
export class DeviceUsages {
  readonly limits: CountLimits;
  readonly #known = new LRUCache<number, { -readonly [Key in keyof DeviceUsage]: number }>({
    max: remembered,
  });
  readonly #unwritten = new Map<number, Unwritten>();
  /** Devices with at least `worthWriting` unwritten crossings. */
  readonly #due = new Set<number>();
  #writtenAt = 0;

  constructor(limits: CountLimits) {
    this.limits = limits;
  }

  get isUnwritten(): boolean {
    return this.#unwritten.size > 0;
  }

  /** Undefined if it is not cached. */
  get(deviceId: number): DeviceUsage | undefined {
    return this.#known.get(deviceId);
  }

  /** Writes the unwritten counts of devices, then reads their counts. */
  async read(client: ClientBase, deviceIds: readonly number[], now: number): Promise<void> {
    if (deviceIds.length === 0) return;
    await this.#write(client, deviceIds);
    for (const id of deviceIds) this.#known.set(id, { most: 0, arrived: 0, since: 0 });
    const counts = await runStatement<{ id: number; most: number; arrived: number }>(
      client,
      'count-devices',
      countStatement,
      [numberArray(deviceIds), dayOf(now)],
    );
    for (const { id, most, arrived } of counts) this.#known.set(id, { most, arrived, since: 0 });
  }

  /** The counts of a device by days; call `read` first. */
  async readExactly(client: ClientBase, deviceId: number, days: readonly number[]): Promise<ExactUsage> {
    const rows = await runStatement<{ day: number; crossed: number }>(
      client,
      'crossed-on-days',
      crossedStatement,
      [deviceId, numberArray(days)],
    );
    const crossed = new Map(rows.map((row) => [row.day, row.crossed]));
    return { crossed, arrived: this.get(deviceId)?.arrived ?? 0 };
  }

  /** Clears the cache; unwritten counts remain. */
  clear(): void {
    this.#known.clear();
  }

  /** Counts rows that were stored at `now` (epoch ms); consecutive ones mostly share their device and day. */
  add(rows: readonly CrossingRow[], now: number): void {
    const today = dayOf(now);
    for (let start = 0; start < rows.length; ) {
      const { device = 0, at = 0 } = rows[start] ?? {};
      const day = dayOf(at);
      let end = start + 1;
      while (rows[end]?.device === device && dayOf(rows[end]?.at ?? 0) === day) end += 1;
      this.#count(device, day, today, end - start);
      start = end;
    }
  }

  /** Whether `write` has something to do. */
  isDue(now: number): boolean {
    return this.#due.size > 0 && Math.abs(now - this.#writtenAt) >= writeInterval;
  }

  /** Writes the counts of all due devices. */
  async write(client: ClientBase, now: number): Promise<void> {
    await this.#write(client, [...this.#due]);
    this.#writtenAt = now;
  }

  /** Writes all unwritten counts, before the process ends. */
  async writeAll(client: ClientBase): Promise<void> {
    await this.#write(client, [...this.#unwritten.keys()]);
  }

  async #write(client: ClientBase, deviceIds: readonly number[]): Promise<void> {
    const more = deviceIds.flatMap((deviceId) =>
      [...(this.#unwritten.get(deviceId)?.days ?? [])].map(([day, count]) => ({ deviceId, day, ...count })),
    );
    const values = numberColumns(more, 'deviceId', 'day', 'crossed', 'arrived');
    if (more.length > 0) await runStatement(client, 'add-device-days', addStatement, values);
    for (const id of deviceIds) {
      this.#unwritten.delete(id);
      this.#due.delete(id);
    }
  }

  #count(deviceId: number, day: number, today: number, crossings: number): void {
    const usage = this.#known.get(deviceId);
    if (usage) usage.since += crossings;
    const unwritten = this.#unwritten.get(deviceId) ?? { crossings: 0, days: new Map() };
    this.#unwritten.set(deviceId, unwritten);
    dayIn(unwritten, day).crossed += crossings;
    dayIn(unwritten, today).arrived += crossings;
    unwritten.crossings += crossings;
    if (unwritten.crossings >= worthWriting) this.#due.add(deviceId);
  }
}

function dayIn({ days }: Unwritten, day: number): { crossed: number; arrived: number } {
  const known = days.get(day);
  if (known) return known;
  const counted = { crossed: 0, arrived: 0 };
  days.set(day, counted);
  return counted;
}

/** Crossings of the day with most crossings, and arrivals of the last 30 days; devices without any are left out. */
const countStatement = `
  select device_id as id, max(crossed)::float8 as most,
    coalesce(sum(arrived) filter (where day > $2::integer - ${arrivalDays} and day <= $2), 0)::float8 as arrived
  from device_day where device_id = any($1::integer[]) group by device_id`;

const crossedStatement = `
  select day, crossed::float8 as crossed from device_day where device_id = $1::integer and day = any($2::integer[])`;

/**
 * In the order of the key, as every writer of these rows. Devices that are no longer in the database are left out.
 */
const addStatement = `
  insert into device_day as known (device_id, day, crossed, arrived)
  select device.id, day, crossed, arrived
  from unnest($1::integer[], $2::integer[], $3::bigint[], $4::bigint[]) as more (device_id, day, crossed, arrived)
  join device on device.id = more.device_id
  order by device.id, day
  on conflict (device_id, day) do update set
    crossed = known.crossed + excluded.crossed, arrived = known.arrived + excluded.arrived`;
