import { LRUCache } from 'lru-cache';
import type { ClientBase } from 'pg';
import type { CrossingRow } from '../crossing-row.ts';
import { addDeviceDays, countDevices, crossedOnDays, type DeviceDay } from './device-days.ts';
import { type CountLimits, type DeviceUsage, dayOf, type ExactUsage } from './device-usage.ts';

/** Devices that are remembered, 100 bytes each; those used least recently are forgotten. */
const remembered = 100_000;

/** A device is written when so many of its crossings are not, */
const worthWriting = 1_000;

/** and no more often than this (ms). */
const writeInterval = 1_000;

interface Unwritten {
  crossings: number;
  readonly days: Map<number, { crossed: number; arrived: number }>;
}

/**
 * How many crossings each device has stored, remembered by this process and written now and then, so that neither a
 * restart nor another gateway begins at zero. Exact as long as one gateway stores a device's crossings; several exceed
 * a limit together by what they have not written yet.
 *
 * Used by one transaction after the other, on the connection that stores, so that nothing is read while it is written.
 */
export class DeviceUsages {
  readonly limits: CountLimits;
  readonly #known = new LRUCache<number, { -readonly [Key in keyof DeviceUsage]: number }>({
    max: remembered,
  });
  readonly #unwritten = new Map<number, Unwritten>();
  /** Those with so much unwritten that it is worth a statement. */
  readonly #due = new Set<number>();
  #writtenAt = 0;

  constructor(limits: CountLimits) {
    this.limits = limits;
  }

  get isUnwritten(): boolean {
    return this.#unwritten.size > 0;
  }

  /** Undefined where it has to be read. */
  get(deviceId: number): DeviceUsage | undefined {
    return this.#known.get(deviceId);
  }

  /** Reads what has been counted of devices, with what this process had not written. */
  async read(client: ClientBase, deviceIds: readonly number[], now: number): Promise<void> {
    if (deviceIds.length === 0) return;
    await this.#write(client, deviceIds);
    for (const id of deviceIds) this.#known.set(id, { most: 0, arrived: 0, since: 0 });
    for (const { deviceId, most, arrived } of await countDevices(client, deviceIds, dayOf(now)))
      this.#known.set(deviceId, { most, arrived, since: 0 });
  }

  /** What has been counted of a device that was just read, by days. */
  async readExactly(client: ClientBase, deviceId: number, days: readonly number[]): Promise<ExactUsage> {
    const crossed = await crossedOnDays(client, deviceId, days);
    return { crossed, arrived: this.get(deviceId)?.arrived ?? 0 };
  }

  /** Forgets what was read; what is not written stays. */
  forget(): void {
    this.#known.clear();
  }

  /** Counts rows that were stored at `now` (epoch ms); consecutive ones mostly share their device and day. */
  note(rows: readonly CrossingRow[], now: number): void {
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

  /** Writes the devices with much that is not written. */
  async write(client: ClientBase, now: number): Promise<void> {
    await this.#write(client, [...this.#due]);
    this.#writtenAt = now;
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
