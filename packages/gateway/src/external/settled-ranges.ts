import { journalIdPattern } from '@visitor-counter/wire/crossings-message';
import type { Heartbeat } from '@visitor-counter/wire/heartbeat-message';
import type { Sender } from '../ingest/sender.ts';
import type { Settled } from './committed-teller.ts';

/**
 * What a heartbeat says need not be waited for: what the unit has freed already, which it can never send
 * again, and what it declares lost. One range at least for its journal, if an empty one, so that every
 * heartbeat is answered with how far its journal is durable.
 */
export function settledByHeartbeat(
  { deviceId, serial }: Sender,
  { journal, acknowledged = 0, lost = [] }: Heartbeat,
): readonly Settled[] {
  const told = [
    ...(journal === undefined ? [] : [{ deviceId, serial, journal, first: 1, last: acknowledged }]),
    ...lost.map(([name, first, last]) => ({
      deviceId,
      serial,
      journal: name,
      first: Math.max(1, first),
      last,
    })),
  ];
  const journals = Map.groupBy(told, (range) => range.journal);
  return [...journals]
    .filter(([name]) => journalId.test(name))
    .slice(0, mostJournals)
    .flatMap(([, ranges]) => merged(ranges));
}

/** More than any unit has: what is told costs the database time in proportion to the journals. */
const mostJournals = 8;

/** The same sequences in ranges that neither overlap nor touch. */
function merged(ranges: readonly Settled[]): Settled[] {
  const apart: Settled[] = [];
  for (const range of ranges.toSorted((a, b) => a.first - b.first)) {
    const before = apart.at(-1);
    if (before === undefined || range.first > before.last + 1) apart.push(range);
    else apart[apart.length - 1] = { ...before, last: Math.max(before.last, range.last) };
  }
  return apart;
}

/** A journal under another id has no crossings; the database would not even take every text. */
const journalId = new RegExp(journalIdPattern);
