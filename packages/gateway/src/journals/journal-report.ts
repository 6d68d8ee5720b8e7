import { joined, type Range } from '@visitor-counter/database/coverage/ranges';
import { journalIdPattern } from '@visitor-counter/wire/crossings-message';
import type { Heartbeat } from '@visitor-counter/wire/heartbeat-message';
import type { Sender } from '../devices/device-states.ts';

/** A unit's report about one of its journals. */
export interface JournalReport {
  readonly deviceId: number;
  readonly serial: string;
  readonly journal: string;
  /** Every sequence up to here was acknowledged to the unit; 0 if the unit does not report that. */
  readonly acknowledged: number;
  /** Sequences that the unit declares lost. */
  readonly lost: readonly Range[];
  /** The last sequence that the unit has recorded, by a heartbeat made at an instant of its clock (epoch ms). */
  readonly recorded?: { readonly last: number; readonly at: number };
}

/**
 * The reports in a heartbeat: first about the journal that the unit writes, then about the volatile one in its memory,
 * then about others with lost sequences.
 */
export function journalReports(
  { deviceId, serial }: Pick<Sender, 'deviceId' | 'serial'>,
  heartbeat: Heartbeat,
): readonly JournalReport[] {
  const { at, journal, recorded, acknowledged = 0, lost = [], volatile } = heartbeat;
  const acknowledgedOf = new Map([
    ...(volatile ? [[volatile.journal, volatile.acknowledged] as const] : []),
    ...(journal === undefined ? [] : [[journal, acknowledged] as const]),
  ]);
  const lostOf = Map.groupBy(lost, ([name]) => name);
  const names = new Set([
    ...(journal === undefined ? [] : [journal]),
    ...(volatile ? [volatile.journal] : []),
    ...lostOf.keys(),
  ]);
  return [...names]
    .filter((name) => journalId.test(name))
    .slice(0, maxJournals)
    .map((name) => ({
      deviceId,
      serial,
      journal: name,
      acknowledged: acknowledgedOf.get(name) ?? 0,
      lost: joined((lostOf.get(name) ?? []).map(([, first, last]) => ({ first: Math.max(1, first), last }))),
      ...(name === journal && recorded !== undefined && { recorded: { last: recorded, at } }),
    }));
}

/** Combines two reports about the same journal. */
export function merge(older: JournalReport, newer: JournalReport): JournalReport {
  return {
    ...older,
    ...newer,
    acknowledged: Math.max(older.acknowledged, newer.acknowledged),
    lost: newer.lost.length > 0 ? newer.lost : older.lost,
  };
}

/** More than any unit has: each costs the database time. */
const maxJournals = 8;

/** No journal with another id can be stored, and the database does not accept every text. */
const journalId = new RegExp(journalIdPattern);
