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
  const { journal, recorded, acknowledged = 0, lost = [], volatile } = heartbeat;
  const written = new Map<string, { readonly recorded: number | undefined; readonly acknowledged: number }>([
    ...(journal === undefined ? [] : [[journal, { recorded, acknowledged }] as const]),
    ...(volatile ? [[volatile.journal, volatile] as const] : []),
  ]);
  const lostOf = Map.groupBy(lost, ([name]) => name);
  const names = new Set([...written.keys(), ...lostOf.keys()]);
  return [...names]
    .filter((name) => journalId.test(name))
    .slice(0, maxJournals)
    .map((name) => {
      const { recorded, acknowledged = 0 } = written.get(name) ?? {};
      const ranges = (lostOf.get(name) ?? []).flatMap(([, from, last]): Range[] => {
        const first = Math.max(1, from);
        return first <= last ? [{ first, last }] : [];
      });
      return {
        deviceId,
        serial,
        journal: name,
        acknowledged,
        lost: ranges,
        ...(recorded !== undefined && { recorded }),
      };
    });
}

/** More than any unit has: each costs the database time. */
const maxJournals = 8;

/** No journal with another id can be stored, and the database does not accept every text. */
const journalId = new RegExp(journalIdPattern);
