import type { Range, ReportedJournal } from '@visitor-counter/database/coverage/update-coverage';
import { journalIdPattern } from '@visitor-counter/wire/crossings-message';
import type { Heartbeat } from '@visitor-counter/wire/heartbeat-message';

/** A unit's report about one of its journals. */
export interface JournalReport extends ReportedJournal {
  readonly serial: string;
}

/**
 * The reports in a heartbeat: first about the journal that the unit writes, then about the volatile one in its memory,
 * then about others with lost sequences.
 */
export function journalReports(
  { deviceId, serial }: Pick<JournalReport, 'deviceId' | 'serial'>,
  heartbeat: Heartbeat,
): readonly JournalReport[] {
  const { journal, acknowledged = 0, lost = [], volatile } = heartbeat;
  const acknowledgedOf = new Map([
    ...(journal === undefined ? [] : [[journal, acknowledged] as const]),
    ...(volatile ? [[volatile.journal, volatile.acknowledged] as const] : []),
  ]);
  const lostOf = Map.groupBy(lost, ([name]) => name);
  const names = new Set([...acknowledgedOf.keys(), ...lostOf.keys()]);
  return [...names]
    .filter((name) => journalId.test(name))
    .slice(0, maxJournals)
    .map((name) => ({
      deviceId,
      serial,
      journal: name,
      acknowledged: acknowledgedOf.get(name) ?? 0,
      lost: (lostOf.get(name) ?? []).flatMap(([, from, last]): Range[] => {
        const first = Math.max(1, from);
        return first <= last ? [{ first, last }] : [];
      }),
    }));
}

/** More than any unit has: each costs the database time. */
const maxJournals = 8;

/** No journal with another id can be stored, and the database does not accept every text. */
const journalId = new RegExp(journalIdPattern);
