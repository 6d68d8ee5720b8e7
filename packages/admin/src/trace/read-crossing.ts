import { completenessOfDevice, completenessOfStore } from '@visitor-counter/database/devices/completeness';
import { deviceFacts } from '@visitor-counter/database/devices/device-facts';
import { foldStored } from '@visitor-counter/database/occupancy/fold-stored';
import type { Database } from '@visitor-counter/database/sql/connect';
import { openSnapshot } from '@visitor-counter/database/sql/snapshot';
import {
  type CrossingName,
  type TracedCrossing,
  type TracedDevice,
  type TracedGap,
  tracedCrossing,
  tracedDevice,
  tracedGaps,
  tracedRejections,
} from '@visitor-counter/database/trace/read-trace';
import { type BusinessDay, businessDayOf } from '@visitor-counter/domain/business-day';
import { occupancyAtEnd } from '@visitor-counter/domain/occupancy';
import { decodeCrossings } from '@visitor-counter/wire/crossings-message';
import { readStoredHeartbeat, type StoredHeartbeat } from '@visitor-counter/wire/stored-heartbeat';
import type { Kysely } from 'kysely';
import { unknownDevice } from '../command/context.ts';
import { entriesOf } from '../rejected/payload.ts';

/** Where a crossing is on its way from the unit to the answers. */
export type TraceState =
  | 'counted'
  /** Stored, and removed from every number by an operator. */
  | 'voided'
  /** It was counted, and removed later, because its company keeps crossings for a limited time. */
  | 'removed'
  | 'rejected'
  /** The unit has declared that it no longer has it. */
  | 'lost'
  /** Acknowledged to the unit, and not in the database. */
  | 'missing'
  /** Recorded by the unit, and not acknowledged. */
  | 'pending'
  /** The unit's heartbeats do not show that it was recorded. */
  | 'unknown';

/** Everything that the database knows about one crossing. Instants are epoch ms or Dates. */
export interface CrossingTrace extends Omit<CrossingName, 'deviceId'> {
  readonly state: TraceState;
  readonly device: TracedDevice;
  readonly heartbeat: StoredHeartbeat | undefined;
  readonly crossing: (TracedCrossing & { readonly answer: TracedAnswer }) | undefined;
  readonly gaps: readonly TracedGap[];
  readonly rejections: readonly { readonly id: string; readonly receivedAt: Date; readonly reason: string }[];
  /** Epoch ms: until when the store, and the device, are complete; null if that is not known. */
  readonly completeUntil: { readonly store: number | null; readonly device: number | null } | undefined;
}

/** What the answers of the interface show. */
interface TracedAnswer {
  readonly day: BusinessDay;
  /** Whether `day` is the present one. */
  readonly isToday: boolean;
  /** The people in the store after the crossing. */
  readonly occupancy: number;
}

/** Throws OperatorError if there is no such device. */
export async function readCrossing(
  database: Database,
  name: CrossingName,
  now: number,
): Promise<CrossingTrace> {
  await using snapshot = await openSnapshot(database);
  const { db } = snapshot;
  const device = await tracedDevice(db, name);
  if (device === undefined) throw unknownDevice(String(name.deviceId));
  const stored = await tracedCrossing(db, name);
  const gaps = await tracedGaps(db, name);
  const rejections = await rejectionsOf(db, name);
  const heartbeat = readStoredHeartbeat(device.heartbeat);
  const { journal, sequence } = name;
  return {
    journal,
    sequence,
    device,
    heartbeat,
    gaps,
    rejections,
    state: stateOf(name, { stored, gaps, rejections, device, heartbeat }),
    crossing: stored && { ...stored, answer: await answerOf(db, stored, now) },
    completeUntil: stored && (await completenessAt(db, stored.store.id, device.serial, now)),
  };
}

async function rejectionsOf(db: Kysely<unknown>, name: CrossingName): Promise<CrossingTrace['rejections']> {
  const found = await tracedRejections(db, name);
  return found
    .filter(({ reason, payload }) => {
      const entries = entriesOf(reason, payload);
      if (entries !== undefined)
        return entries.journal === name.journal && entries.entries.some(([one]) => one === name.sequence);
      const decoded = decodeCrossings(payload, Date.now());
      if ('malformed' in decoded || decoded.journal !== name.journal) return false;
      return [...decoded.valid, ...decoded.rejected].some(({ sequence }) => sequence === name.sequence);
    })
    .map(({ id, receivedAt, reason }) => ({ id, receivedAt, reason }));
}

interface Found extends Pick<CrossingTrace, 'gaps' | 'rejections' | 'device' | 'heartbeat'> {
  readonly stored: TracedCrossing | undefined;
}

function stateOf({ journal, sequence }: CrossingName, found: Found): TraceState {
  const { stored, gaps, rejections, device, heartbeat } = found;
  if (stored !== undefined) return stored.voidId === null ? 'counted' : 'voided';
  const isRecorded = (state: TracedGap['state']) => gaps.some((gap) => gap.state === state);
  if (isRecorded('removed')) return 'removed';
  if (rejections.length > 0 || isRecorded('rejected')) return 'rejected';
  if (isRecorded('lost')) return 'lost';
  if (isRecorded('missing')) return 'missing';
  if (device.heartbeatJournal !== journal || heartbeat === undefined) return 'unknown';
  if (sequence <= (heartbeat.acknowledged ?? 0)) return 'missing';
  return sequence <= (heartbeat.recorded ?? 0) ? 'pending' : 'unknown';
}

async function answerOf(
  db: Kysely<unknown>,
  { at, store }: TracedCrossing,
  now: number,
): Promise<TracedAnswer> {
  const day = businessDayOf(at, store);
  const range = { storeId: store.id, from: day.start, to: at + 1 };
  const [folded] = await foldStored(db, [range]);
  const occupancy = folded === undefined ? 0 : occupancyAtEnd(0, folded.stretch);
  return { day, isToday: now >= day.start && now < day.end, occupancy };
}

async function completenessAt(db: Kysely<unknown>, storeId: number, serial: string, now: number) {
  const devices = await deviceFacts(db, [storeId], now);
  const own = devices.find((one) => one.serial === serial);
  return {
    store: completenessOfStore(devices.map((one) => completenessOfDevice(one, now))).completeUntil,
    device: own ? completenessOfDevice(own, now).completeUntil : null,
  };
}

/** An operation or route of the interface, and with what it shows the crossing. */
interface VisibleIn {
  readonly name: string;
  readonly how: string;
}

/** Where callers find the crossing now, if their credential gives access to its store. */
export function visibleIn({ state, device, crossing }: CrossingTrace): VisibleIn[] {
  if (crossing === undefined) return [];
  const all = {
    name: '/v1/crossings',
    how: state === 'voided' ? 'as voided' : `store ${crossing.store.sid}`,
  };
  if (state !== 'counted') return [all];
  const { store, answer, projection } = crossing;
  const { date } = answer.day;
  const days = `DateFrom and DateTo ${date}`;
  const isApplied = projection.pendingSince === null;
  return [
    { name: 'GetCountsByCompanyAndDatePublic', how: days },
    { name: 'GetCountsBySerialNumberAndDatePublic', how: `SerialNumber ${device.serial}, ${days}` },
    ...store.groups.map((group) => ({
      name: 'GetCountsByShopGroupAndDatePublic',
      how: `ShopGroupName ${group}, ${days}`,
    })),
    ...(isApplied && answer.isToday
      ? [
          { name: 'GetAllCountsByCompanyForTodayPublic', how: 'in the Amount of its store' },
          { name: '/v1/occupancy', how: 'in the occupancy of its store' },
          { name: '/v1/live', how: 'in the occupancy of its store' },
        ]
      : []),
    ...(isApplied ? [{ name: '/v1/counts', how: `from and to ${date}` }] : []),
    all,
  ];
}
