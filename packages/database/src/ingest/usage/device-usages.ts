import { LRUCache } from 'lru-cache';
import type { ClientBase } from 'pg';
import type { CrossingRow } from '../crossing-row.ts';
import { addDeviceDays, type DeviceDay, readDeviceDays } from './device-days.ts';
import { type CountLimits, DeviceUsage, dayOf } from './device-usage.ts';

/** Days of devices that are remembered, 50 bytes each; those of the devices used least recently are forgotten. */
const remembered = 1_000_000;

/** A device is written when so many of its crossings are not, */
const worthWriting = 1_000;

/** and no more often than this (ms). */
const writeInterval = 1_000;

/** How often what is remembered of a device that exceeds its limits is read again (ms). */
const rereadInterval = 5_000;

/** Days before now whose counts are read: as many as an instant may be old, at most. */
const daysRead = 1_100;

interface Known {
  readonly usage: DeviceUsage;
  /** Epoch ms. */
  readonly readAt: number;
}

interface Unwritten {
  crossings: number;
  readonly days: Map<number, { crossed: number; arrived: number }>;
}

/**
 * How many crossings each device has stored, remembered by this process and written now and then, so that neither a
 * restart nor another gateway begins at zero. Exact as long as one gateway stores a device's crossings; several exceed
 * a limit together by what they have not written yet.
 *
 * Used by one transaction after the other, on the connection that stores: what is read never lacks or repeats what is
 * being written.
 */
export class DeviceUsages {
  readonly #limits: CountLimits;
  readonly #known = new LRUCache<number, Known>({
    maxSize: remembered,
    sizeCalculation: ({ usage }) => usage.size + 1,
  });
  readonly #unwritten = new Map<number, Unwritten>();
  /** Those with so much unwritten that it is worth a statement. */
  readonly #due = new Set<number>();
  #writtenAt = 0;

  constructor(limits: CountLimits) {
    this.#limits = limits;
  }

  get limits(): CountLimits {
    return this.#limits;
  }

  /** Undefined where it has to be read. */
  get(deviceId: number): DeviceUsage | undefined {
    return this.#known.get(deviceId)?.usage;
  }

  /** Reads devices that are not known. */
  async learn(client: ClientBase, deviceIds: readonly number[], now: number): Promise<void> {
    const unknown = deviceIds.filter((id) => !this.#known.has(id));
    if (unknown.length > 0) await this.#read(client, unknown, now);
  }

  /** Forgets what was read; what is not written stays. */
  forget(): void {
    this.#known.clear();
  }

  /** Reads a device again that exceeds its limits, where that was not done a moment ago. */
  async reread(client: ClientBase, deviceId: number, now: number): Promise<void> {
    const { readAt = Number.NEGATIVE_INFINITY } = this.#known.peek(deviceId) ?? {};
    if (now - readAt >= rereadInterval || now < readAt) await this.#read(client, [deviceId], now);
  }

  /** Counts rows that were stored at `now` (epoch ms); consecutive ones mostly share their device and day. */
  note(rows: readonly CrossingRow[], now: number): void {
    const today = dayOf(now);
    for (let start = 0; start < rows.length; ) {
      const { device = 0, at = 0 } = rows[start] ?? {};
      const day = dayOf(at);
      let end = start + 1;
      while (rows[end]?.device === device && dayOf(rows[end]?.at ?? 0) === day) end += 1;
      this.#count({ deviceId: device, day, crossed: end - start, arrived: 0 });
      this.#count({ deviceId: device, day: today, crossed: 0, arrived: end - start });
      start = end;
    }
  }

  /** Whether `write` has something to do. */
  isDue(now: number): boolean {
    return this.#due.size > 0 && Math.abs(now - this.#writtenAt) >= writeInterval;
  }

  /** Writes the devices with much that is not written. */
  async write(client: ClientBase, now: number): Promise<void> {
    await this.#write(client, [...this.#due]);
    this.#writtenAt = now;
  }

  get isUnwritten(): boolean {
    return this.#unwritten.size > 0;
  }

  /** Writes everything that is not written, for the end. */
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

  async #read(client: ClientBase, deviceIds: readonly number[], now: number): Promise<void> {
    const read = await readDeviceDays(client, deviceIds, dayOf(now) - daysRead);
    const all = Map.groupBy([...read, ...this.#unwrittenDays(deviceIds)], ({ deviceId }) => deviceId);
    for (const id of deviceIds)
      this.#known.set(id, { usage: new DeviceUsage(all.get(id) ?? []), readAt: now });
  }

  #count(count: DeviceDay): void {
    const { deviceId, day, crossed, arrived } = count;
    this.get(deviceId)?.add(count);
    const unwritten = this.#unwritten.get(deviceId) ?? { crossings: 0, days: new Map() };
    this.#unwritten.set(deviceId, unwritten);
    const sum = unwritten.days.get(day) ?? { crossed: 0, arrived: 0 };
    sum.crossed += crossed;
    sum.arrived += arrived;
    unwritten.days.set(day, sum);
    unwritten.crossings += crossed;
    if (unwritten.crossings >= worthWriting) this.#due.add(deviceId);
  }

  #unwrittenDays(deviceIds: readonly number[]): DeviceDay[] {
    return deviceIds.flatMap((deviceId) =>
      [...(this.#unwritten.get(deviceId)?.days ?? [])].map(([day, count]) => ({ deviceId, day, ...count })),
    );
  }
}
