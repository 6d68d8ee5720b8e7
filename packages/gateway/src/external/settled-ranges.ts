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
  const ranges = [
    ...(journal === undefined ? [] : [{ deviceId, serial, journal, first: 1, last: acknowledged }]),
    ...lost.map(([name, first, last]) => ({
      deviceId,
      serial,
      journal: name,
      first: Math.max(1, first),
      last,
    })),
  ];
  return ranges.filter((range) => journalId.test(range.journal));
}

/** A journal under another id has no crossings; the database would not even take every text. */
const journalId = new RegExp(journalIdPattern);
