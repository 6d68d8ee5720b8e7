import { createHash } from 'node:crypto';
import type { Crossing } from '@visitor-counter/domain/crossing';
import type { RejectedEntry } from '@visitor-counter/wire/crossings-message';
import { sql } from 'kysely';
import { type Db, runStatement } from '../sql/query-builder.ts';

/**
 * An entry of a crossings message: its sequence in the journal, and the entry as it was received.
 */
type SequencedEntry = readonly [sequence: number, entry: unknown];

/** The entry of a crossing as it was received. */
export function entryOf({
  sequence,
  at,
  direction,
  uncertainty,
}: Crossing & { readonly sequence: number; readonly uncertainty?: number | null }): SequencedEntry {
  return [sequence, typeof uncertainty === 'number' ? [at, direction, uncertainty] : [at, direction]];
}

/** A part of a message that cannot be stored, in the form in which it is stored. */
export interface Rejection {
  readonly reason: string;
  readonly payload: Buffer;
  /** The entries in it; left out for a message that could not be decoded. */
  readonly entries?: { readonly journal: string; readonly sequences: readonly number[] };
}

/** A message that cannot be decoded, with a copy of its bytes. */
export function malformed(reason: string, payload: Uint8Array): Rejection {
  return { reason: `malformed: ${reason}`, payload: Buffer.from(payload) };
}

/** The entries of a journal that were rejected for one reason. They can be retried: each has its journal and sequence. */
export function rejectionOf(reason: string, journal: string, entries: readonly SequencedEntry[]): Rejection {
  const sequences = entries.map(([sequence]) => sequence);
  const payload = Buffer.from(JSON.stringify({ journal, entries }));
  return { reason, payload, entries: { journal, sequences } };
}

/** One for each reason, so that a thousand invalid entries of a message are stored as one. */
export function rejectionsByReason(journal: string, rejected: readonly RejectedEntry[]): Rejection[] {
  if (rejected.length === 0) return [];
  const groups = Map.groupBy(rejected, ({ reason }) => reason);
  return [...groups].map(([reason, entries]) =>
    rejectionOf(
      reason,
      journal,
      entries.map(({ sequence, entry }) => [sequence, readable(entry)]),
    ),
  );
}

/** Only an array of numbers can become a crossing in a retry; anything else is stored as text. */
function readable(entry: unknown): unknown {
  if (typeof entry === 'string') return entry.slice(0, maxTextLength);
  return Array.isArray(entry) && entry.every((part) => typeof part === 'number') ? entry : textOf(entry);
}

const maxTextLength = 200;

function textOf(entry: unknown): string {
  try {
    return JSON.stringify(entry).slice(0, maxTextLength);
  } catch {
    return 'nested too deeply to be written';
  }
}

/** A rejected message, or part of one; `message` is the index of the message that contains it. */
export interface Rejected extends Rejection {
  readonly message: number;
  readonly deviceId: number;
  readonly topic: string;
}

/** The most rejected messages that are stored for one device. */
export const maxRejectedPerDevice = 10_000;

/**
 * Stores rejected messages, each once however often it is delivered. Returns those that are newly stored, and the indexes of
 * the messages that were not stored because their device has too many. Two writers at the same time can exceed the limit by
 * what they are writing.
 */
export async function storeRejected(
  trx: Db,
  rejected: readonly Rejected[],
): Promise<{ stored: readonly Rejected[]; full: ReadonlySet<number> }> {
  if (rejected.length === 0) return { stored: [], full: new Set() };
  const rows = await runStatement<{ place: number; fits: boolean }>(trx, statement, [
    rejected.map(({ deviceId }) => deviceId),
    rejected.map(({ topic }) => topic),
    rejected.map(({ reason }) => reason),
    rejected.map(({ payload }) => payload),
    rejected.map(digestOf),
    maxRejectedPerDevice,
  ]);
  const places = (fitting: boolean) => rows.flatMap(({ place, fits }) => (fits === fitting ? place - 1 : []));
  return {
    stored: places(true).flatMap((index) => rejected[index] ?? []),
    full: new Set(places(false).flatMap((index) => rejected[index]?.message ?? [])),
  };
}

/** Identifies a rejected message of a device. */
function digestOf({ topic, reason, payload }: Rejected): Buffer {
  return createHash('sha256').update(`${topic}\0${reason}\0`).update(payload).digest();
}

const statement = `
  with sent as (
    select distinct on (device_id, digest) *
    from unnest($1::integer[], $2::text[], $3::text[], $4::bytea[], $5::bytea[])
      with ordinality as sent (device_id, topic, reason, payload, digest, place)
    order by device_id, digest, place
  ), room as (
    select id as device_id, $6 - (
      select count(*) from (select from rejected_message where device_id = device.id limit $6) stored
    ) as room
    from device where id = any($1)
  ), fresh as (
    select sent.*, row_number() over (partition by device_id order by place) <= coalesce(room, 0) as fits
    from sent left join room using (device_id)
    where not exists (
      select from rejected_message known where known.device_id = sent.device_id and known.digest = sent.digest
    )
  ), stored as (
    insert into rejected_message (device_id, topic, reason, payload, digest)
    select device_id, topic, reason, payload, digest from fresh where fits order by device_id, digest
    on conflict (device_id, digest) do nothing
  )
  select place, fits from fresh order by place`;

/** The device has too many rejected messages to store the rest under several reasons. */
export class DeviceFull extends Error {
  override readonly name = 'DeviceFull';
  readonly code = 'device-full';

  constructor() {
    super('too many rejected messages of this device');
  }
}

/**
 * Replaces a rejected message with what is still rejected of it, in the open transaction: one new message for each reason,
 * unless all of it is still rejected for the same reason. Throws DeviceFull.
 */
export async function replaceRejected(trx: Db, id: number, left: readonly Rejected[]): Promise<void> {
  const { full } = await storeRejected(trx, left);
  if (full.size > 0) throw new DeviceFull();
  await trx
    .deleteFrom('rejectedMessage')
    .where('id', '=', id)
    .where('digest', '<>', sql<Buffer>`all(${left.map(digestOf)})`)
    .execute();
}
