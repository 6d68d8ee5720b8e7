import type { NumberedCrossing } from '@visitor-counter/domain/crossing';
import type { RejectedEntry } from '@visitor-counter/wire/crossings-message';
import type { ClientBase } from 'pg';
import { entryOf, rejectionsByReason } from '../../rejected/rejected-entries.ts';
import { numberArray } from '../../sql/arrays.ts';
import { runStatement } from '../../sql/run-statement.ts';
import type { MessageToStore } from '../store-messages.ts';
import { dayOf, excessOf, hasRoomFor } from './count-limits.ts';
import type { DeviceUsages } from './device-usages.ts';

/**
 * Whether the cached counts show that all of these messages are within the limits: two comparisons for each message. False
 * also if counts must be read or written first.
 */
export function areWithinLimits(
  messages: readonly MessageToStore[],
  usages: DeviceUsages,
  now: number,
): boolean {
  if (usages.isDue(now)) return false;
  let crossings = 0;
  for (const { batch } of messages) crossings += batch?.crossings.length ?? 0;
  return messages.every(({ deviceId, batch }) => {
    if (batch === undefined) return true;
    const usage = usages.get(deviceId);
    return usage !== undefined && hasRoomFor(usage, crossings, usages.limits);
  });
}

/**
 * The messages with the crossings that are within the limits of their devices; the other crossings become rejections.
 * Crossings that are stored already never exceed a limit.
 */
export async function withinLimits(
  client: ClientBase,
  messages: readonly MessageToStore[],
  usages: DeviceUsages,
  now: number,
): Promise<readonly MessageToStore[]> {
  if (usages.isDue(now)) await usages.write(client, now);
  const deviceIds = [...new Set(messages.map(({ deviceId }) => deviceId))];
  await usages.read(
    client,
    deviceIds.filter((id) => usages.get(id) === undefined),
    now,
  );
  if (areWithinLimits(messages, usages, now)) return messages;
  const limited = new Map<MessageToStore, MessageToStore>();
  for (const ofDevice of Map.groupBy(messages, ({ deviceId }) => deviceId).values()) {
    if (areWithinLimits(ofDevice, usages, now)) continue;
    await usages.read(client, [ofDevice[0]?.deviceId ?? 0], now);
    if (!areWithinLimits(ofDevice, usages, now)) await limitDevice(client, ofDevice, usages, limited);
  }
  return messages.map((message) => limited.get(message) ?? message);
}

/** Checks the new crossings of one device's messages, in their order; one that is in several messages is new once. */
async function limitDevice(
  client: ClientBase,
  messages: readonly MessageToStore[],
  usages: DeviceUsages,
  limited: Map<MessageToStore, MessageToStore>,
): Promise<void> {
  const fresh = new Map<string, NumberedCrossing>();
  for (const message of messages) {
    for (const crossing of await notStored(client, message)) {
      const key = keyOf(message, crossing);
      if (!fresh.has(key)) fresh.set(key, crossing);
    }
  }
  const days = [...new Set([...fresh.values()].map(({ at }) => dayOf(at)))];
  const usage = await usages.readExactly(client, messages[0]?.deviceId ?? 0, days);
  const reasons = excessOf([...fresh.values()], usage, usages.limits);
  const excess = new Map([...fresh.keys()].map((key, place) => [key, reasons[place]]));
  for (const message of messages) limited.set(message, without(message, excess));
}

function keyOf({ batch }: MessageToStore, { sequence }: NumberedCrossing): string {
  return `${sequence} ${batch?.journal}`;
}

async function notStored(
  client: ClientBase,
  { deviceId, batch }: MessageToStore,
): Promise<readonly NumberedCrossing[]> {
  if (batch === undefined) return [];
  const { journal, crossings } = batch;
  const values = [deviceId, journal, numberArray(crossings.map(({ sequence }) => sequence))];
  const rows = await runStatement<{ sequence: number }>(client, 'stored-sequences', storedStatement, values);
  const stored = new Set(rows.map(({ sequence }) => sequence));
  return crossings.filter(({ sequence }) => !stored.has(sequence));
}

/**
 * Which of some sequences of a device's journal are stored, whatever their content. `offset 0` makes the
 * database look up each of them by its key: for an `exists` it could read the whole table into a hash.
 */
const storedStatement = `
  select sent.sequence::float8 as sequence
  from journal cross join unnest($3::bigint[]) as sent (sequence)
  cross join lateral (
    select journal_id from crossing where journal_id = journal.id and crossing.sequence = sent.sequence
    offset 0
  ) found
  where journal.device_id = $1::integer and journal.name = $2::text`;

/** The message with rejections in place of those crossings for whose keys `excess` has a reason. */
function without(message: MessageToStore, excess: ReadonlyMap<string, string | undefined>): MessageToStore {
  const { batch, ...rest } = message;
  if (batch === undefined) return message;
  const rejected = batch.crossings.flatMap((crossing): RejectedEntry[] => {
    const reason = excess.get(keyOf(message, crossing));
    const { sequence } = crossing;
    return reason === undefined ? [] : [{ sequence, entry: entryOf(crossing)[1], reason }];
  });
  if (rejected.length === 0) return message;
  const rejections = [...message.rejections, ...rejectionsByReason(batch.journal, rejected)];
  const crossings = batch.crossings.filter((crossing) => excess.get(keyOf(message, crossing)) === undefined);
  return crossings.length === 0
    ? { ...rest, rejections }
    : { ...rest, rejections, batch: { ...batch, crossings } };
}
