import { foldTimes } from '@visitor-counter/database/occupancy/fold';
import type { Database } from '@visitor-counter/database/sql/connect';
import type { Db } from '@visitor-counter/database/sql/query-builder';
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
import { readStoredHeartbeat, type StoredHeartbeat } from '@visitor-counter/wire/stored-heartbeat';
import { unknownDevice } from '../command/find.ts';
import { decodeRejected } from '../rejected/payload.ts';

/** Where a crossing is on its way from the unit to the answers, with the meanings for people. */
export const meanings = {
  counted: 'it is in the numbers',
  voided: 'an operator has removed it from every number (admin crossings voids)',
  rejected: 'it could not be stored, and is not counted (admin rejected list)',
  lost: 'the unit has declared that it no longer has it',
  missing: 'it was acknowledged and is not in the database: the gateway requests it again',
  pending: 'the unit has recorded it, and it is not acknowledged yet',
  unknown: 'no message of the unit shows that it exists',
};
type TraceState = keyof typeof meanings;

/** Everything that the database knows about one crossing. Instants are epoch ms. */
export type CrossingTrace = Awaited<ReturnType<typeof readCrossing>>;

/** The business day of a crossing, as the answers of the interface show it. */
interface TracedAnswer {
  readonly day: BusinessDay;
  /** The people in the store after all crossings of its instant; null if crossings of the business day were removed because of their age. */
  readonly occupancy: number | null;
}

/** Throws Refused if there is no such device. */
export async function readCrossing(
  database: Database,
  serial: string,
  { journal, sequence }: Pick<CrossingName, 'journal' | 'sequence'>,
) {
  await using snapshot = await openSnapshot(database);
  const { db } = snapshot;
  const device = await tracedDevice(db, serial, journal);
  if (device === undefined) throw unknownDevice(serial);
  const name = { deviceId: device.id, journal, sequence };
  const stored = await tracedCrossing(db, name);
  const gaps = await tracedGaps(db, name);
  const rejections = await rejectionsOf(db, name);
  const heartbeat = readStoredHeartbeat(device.heartbeat);
  return {
    journal,
    sequence,
    device,
    heartbeat,
    gaps,
    rejections,
    state: stateOf(name, stored, { gaps, rejections, device, heartbeat }),
    crossing: stored && { ...stored, answer: await answerOf(db, stored) },
  };
}

/** The rejected messages that have a crossing. */
async function rejectionsOf(db: Db, name: CrossingName) {
  const found = [];
  for (let after: number | undefined = 0; after !== undefined; ) {
    const page = await tracedRejections(db, name, after);
    for (const { id, receivedAt, reason, payload } of page)
      if (isIn(name, reason, payload)) found.push({ id: String(id), receivedAt, reason });
    after = page.at(-1)?.id;
  }
  return found;
}

/** Whether a crossing is in the payload of a rejected message. */
function isIn({ journal, sequence }: CrossingName, reason: string, payload: Buffer): boolean {
  const decoded = decodeRejected(reason, payload, Date.now());
  if ('malformed' in decoded || decoded.journal !== journal) return false;
  return [...decoded.valid, ...decoded.rejected].some((one) => one.sequence === sequence);
}

interface Found {
  readonly gaps: readonly TracedGap[];
  readonly rejections: readonly unknown[];
  readonly device: TracedDevice;
  readonly heartbeat: StoredHeartbeat | undefined;
}

function stateOf(
  { journal, sequence }: CrossingName,
  stored: TracedCrossing | undefined,
  { gaps, rejections, device, heartbeat }: Found,
): TraceState {
  if (stored !== undefined) return stored.voidId === null ? 'counted' : 'voided';
  const states = ['rejected', 'lost', 'missing'] as const;
  const recorded = states.find((state) => gaps.some((gap) => gap.state === state));
  if (rejections.length > 0) return 'rejected';
  if (recorded !== undefined) return recorded;
  if (device.heartbeatJournal !== journal || heartbeat === undefined) return 'unknown';
  if (sequence <= (heartbeat.acknowledged ?? 0)) return 'missing';
  return sequence <= (heartbeat.recorded ?? 0) ? 'pending' : 'unknown';
}

async function answerOf(db: Db, { at, store }: TracedCrossing): Promise<TracedAnswer> {
  const day = businessDayOf(at, store);
  if (store.removedBefore !== null && day.start < store.removedBefore) return { day, occupancy: null };
  const [folded] = await foldTimes(db, [{ storeId: store.id, from: day.start, to: at + 1 }]);
  return { day, occupancy: folded ? occupancyAtEnd(0, folded.stretch) : 0 };
}
