import { LRUCache } from 'lru-cache';
import type { ClientBase } from 'pg';
import type { CrossingRow } from '../../crossings/crossing-row.ts';
import { type CountLimits, type DeviceUsage, dayOf, type ExactUsage } from './count-limits.ts';
import { addDeviceDays, countDevices, crossedOnDays, type DeviceDay } from './device-days.ts';

/** The most devices in the cache, 100 bytes each; those used least recently are evicted. */
const remembered = 100_000;

/** The counts of a device are written when this many crossings are not in them. */
const worthWriting = 1_000;

/** The shortest time between two writes (ms). */
const writeInterval = 1_000;

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
    for (const { deviceId, most, arrived } of await countDevices(client, deviceIds, dayOf(now)))
      this.#known.set(deviceId, { most, arrived, since: 0 });
  }

  /** The counts of a device by days; call `read` first. */
  async readExactly(client: ClientBase, deviceId: number, days: readonly number[]): Promise<ExactUsage> {
    const crossed = await crossedOnDays(client, deviceId, days);
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
    await addDeviceDays(client, this.#unwrittenDays(deviceIds));
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

  #unwrittenDays(deviceIds: readonly number[]): DeviceDay[] {
    return deviceIds.flatMap((deviceId) =>
      [...(this.#unwritten.get(deviceId)?.days ?? [])].map(([day, count]) => ({ deviceId, day, ...count })),
    );
  }
}

function dayIn({ days }: Unwritten, day: number): { crossed: number; arrived: number } {
  const known = days.get(day);
  if (known) return known;
  const counted = { crossed: 0, arrived: 0 };
  days.set(day, counted);
  return counted;
}
