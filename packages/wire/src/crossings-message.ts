import type { Direction, NumberedCrossing } from '@visitor-counter/domain/crossing';
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { type Decoded, decodeValue } from './json-payload.ts';
import {
  earliestInstant,
  maxClockError,
  maxCrossingsPerMessage,
  maxJournalLength,
  maxUncertainty,
} from './limits.ts';

/** A journal's id: visible ASCII; units make it at random. */
export const journalIdPattern = `^[!-~]{1,${maxJournalLength}}$`;

const CrossingsMessage = Type.Object({
  journal: Type.String({ pattern: journalIdPattern }),
  first: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER - maxCrossingsPerMessage }),
  crossings: Type.Array(Type.Unknown(), { minItems: 1, maxItems: maxCrossingsPerMessage }),
});

const envelope = Compile(CrossingsMessage);

/** Consecutive crossings of one journal; the i-th has the sequence `first + i`. */
export interface Crossings {
  readonly journal: string;
  readonly first: number;
  readonly crossings: readonly Omit<NumberedCrossing, 'sequence'>[];
}

/** An entry that cannot be stored, as it was received, and why. */
export interface RejectedEntry {
  readonly sequence: number;
  readonly entry: unknown;
  readonly reason: string;
}

/** The entries that can be stored, and the others. */
interface ValidatedEntries {
  readonly valid: NumberedCrossing[];
  readonly rejected: RejectedEntry[];
}

/**
 * The payload of `counter/v1/<serial>/crossings`: 1 to 1,000 crossings.
 * An entry contains the uncertainty as its third number unless it is 0 or missing.
 */
export function encodeCrossings({ journal, first, crossings }: Crossings): string {
  const entries = crossings.map(({ at, direction, uncertainty }) =>
    uncertainty ? `[${at},${direction},${uncertainty}]` : `[${at},${direction}]`,
  );
  return `{"journal":${JSON.stringify(journal)},"first":${first},"crossings":[${entries.join(',')}]}`;
}

const day = 24 * 60 * 60 * 1_000;

/** A crossing's instant may be at most this far in the future (ms), since the clocks of units are not exact. */
export const maxFuture = day;

/**
 * Decodes a payload and validates every entry separately: one invalid entry does not delay the others.
 * Instants more than `maxFuture` after `now` (epoch ms) are rejected. Those more than `maxClockError` after it come from a wrong
 * clock: they are as uncertain as they are in the future.
 */
export function decodeCrossings(
  payload: Uint8Array,
  now: number,
): Decoded<ValidatedEntries & { readonly journal: string }> {
  const decoded = decodeValue(envelope, payload);
  if ('malformed' in decoded) return decoded;
  const { journal, first, crossings } = decoded.value;
  const entries = crossings.map((entry, index) => [first + index, entry] as const);
  return { journal, ...validateEntries(entries, now) };
}

/** Validates entries, each with its sequence; `now` is epoch ms. */
export function validateEntries(
  entries: readonly (readonly [sequence: number, entry: unknown])[],
  now: number,
): ValidatedEntries {
  const validated: ValidatedEntries = { valid: [], rejected: [] };
  for (const [sequence, entry] of entries) {
    const reason = entryProblem(entry, now);
    if (reason === undefined) validated.valid.push(numbered(sequence, entry as Entry, now));
    else validated.rejected.push({ sequence, entry, reason });
  }
  return validated;
}

type Entry = [at: number, direction: Direction, uncertainty?: number];

function numbered(sequence: number, [at, direction, given = 0]: Entry, now: number): NumberedCrossing {
  const uncertainty = at > now + maxClockError ? Math.max(given, at - now) : given;
  return uncertainty ? { sequence, at, direction, uncertainty } : { sequence, at, direction };
}

function entryProblem(entry: unknown, now: number): string | undefined {
  if (!Array.isArray(entry) || entry.length < 2 || entry.length > 3) {
    return 'entry: expected [epoch ms, 1 or -1] or [epoch ms, 1 or -1, uncertainty in ms]';
  }
  const [at, direction, uncertainty] = entry;
  if (!Number.isSafeInteger(at)) return 'instant: expected a whole number of milliseconds since 1970';
  if (at < earliestInstant) return 'instant: before the year 2000, from a clock that was never set';
  if (at > now + maxFuture) return 'instant: more than 24 hours in the future';
  if (direction !== 1 && direction !== -1) return 'direction: expected 1 or -1';
  if (uncertainty === undefined) return undefined;
  if (!Number.isSafeInteger(uncertainty) || uncertainty < 0 || uncertainty > maxUncertainty) {
    return `uncertainty: expected a whole number of milliseconds, 0 to ${maxUncertainty}`;
  }
  return undefined;
}
