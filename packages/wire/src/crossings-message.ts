import type { Crossing, Direction } from '@visitor-counter/domain/crossing';
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { parseJsonPayload } from './json-payload.ts';
import {
  type AcceptedInstants,
  acceptedInstants,
  earliestInstant,
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

/** A crossing as it travels. */
export interface SentCrossing extends Crossing {
  /** How far `at` may be off (ms), for a boot whose clock was never right. */
  readonly uncertainty?: number;
}

/** Consecutive crossings of one journal; the i-th has the sequence `first + i`. */
export interface Crossings {
  readonly journal: string;
  readonly first: number;
  readonly crossings: readonly SentCrossing[];
}

/** An entry that can be stored, with the sequence it has in the journal. */
export interface NumberedCrossing extends SentCrossing {
  readonly sequence: number;
}

/** An entry that cannot be stored: as it came, and why. */
export interface RefusedEntry {
  readonly sequence: number;
  readonly entry: unknown;
  readonly reason: string;
}

/** What a payload holds: entries, each judged for itself, or nothing that could be read at all. */
export type DecodedCrossings =
  | { readonly journal: string; readonly valid: NumberedCrossing[]; readonly refused: RefusedEntry[] }
  | { readonly malformed: string };

/**
 * The payload of `counter/v1/<serial>/crossings`: 1 to 1,000 crossings.
 * The third number of an entry, its uncertainty, is left out where it is 0 or missing.
 */
export function encodeCrossings({ journal, first, crossings }: Crossings): string {
  const entries = crossings.map(({ at, direction, uncertainty }) =>
    uncertainty ? `[${at},${direction},${uncertainty}]` : `[${at},${direction}]`,
  );
  return `{"journal":${JSON.stringify(journal)},"first":${first},"crossings":[${entries.join(',')}]}`;
}

/**
 * Reads a payload and judges every entry for itself: one bad entry does not hold up its neighbours.
 * `now` (epoch ms) is the clock against which instants in the future are refused, and those that are more than `maxAge`
 * ms old.
 */
export function decodeCrossings(
  payload: Uint8Array,
  now: number,
  maxAge = Number.POSITIVE_INFINITY,
): DecodedCrossings {
  const accepted = acceptedInstants(now, maxAge);
  const parsed = parseJsonPayload(payload);
  if ('problem' in parsed) return { malformed: parsed.problem };
  if (!envelope.Check(parsed.value)) return { malformed: envelopeProblem(parsed.value) };
  const { journal, first, crossings } = parsed.value;
  if (crossings.every((entry): entry is Entry => entryProblem(entry, accepted) === undefined)) {
    const valid = crossings.map((entry, index) => numbered(first + index, entry));
    return { journal, valid, refused: [] };
  }
  const entries = crossings.map((entry, index) => [first + index, entry] as const);
  return { journal, ...judge(entries, accepted) };
}

/** Entries that can be stored, and those that cannot. */
export interface JudgedEntries {
  readonly valid: NumberedCrossing[];
  readonly refused: RefusedEntry[];
}

/** Judges entries by themselves, each with its sequence and however old; `now` is epoch ms. */
export function judgeEntries(
  entries: readonly (readonly [sequence: number, entry: unknown])[],
  now: number,
): JudgedEntries {
  return judge(entries, acceptedInstants(now, Number.POSITIVE_INFINITY));
}

function judge(
  entries: readonly (readonly [sequence: number, entry: unknown])[],
  accepted: AcceptedInstants,
): JudgedEntries {
  const judged: JudgedEntries = { valid: [], refused: [] };
  for (const [sequence, entry] of entries) {
    const reason = entryProblem(entry, accepted);
    if (reason === undefined) judged.valid.push(numbered(sequence, entry as Entry));
    else judged.refused.push({ sequence, entry, reason });
  }
  return judged;
}

const day = 24 * 60 * 60 * 1_000;

type Entry = [at: number, direction: Direction, uncertainty?: number];

function numbered(sequence: number, [at, direction, uncertainty]: Entry): NumberedCrossing {
  return uncertainty ? { sequence, at, direction, uncertainty } : { sequence, at, direction };
}

function entryProblem(entry: unknown, { maxAge, earliest, latest }: AcceptedInstants): string | undefined {
  if (!Array.isArray(entry) || entry.length < 2 || entry.length > 3) {
    return 'entry: expected [epoch ms, 1 or -1] or [epoch ms, 1 or -1, uncertainty in ms]';
  }
  const [at, direction, uncertainty] = entry;
  if (!Number.isSafeInteger(at)) return 'instant: expected a whole number of milliseconds since 1970';
  if (at < earliestInstant) return 'instant: before the year 2000, from a clock that was never set';
  if (at < earliest) return `limit: more than ${Math.floor(maxAge / day)} days old on arrival`;
  if (at > latest) return 'instant: more than 24 hours in the future';
  if (direction !== 1 && direction !== -1) return 'direction: expected 1 or -1';
  if (uncertainty === undefined) return undefined;
  if (!Number.isSafeInteger(uncertainty) || uncertainty < 0 || uncertainty > maxUncertainty) {
    return `uncertainty: expected a whole number of milliseconds, 0 to ${maxUncertainty}`;
  }
  return undefined;
}

function envelopeProblem(value: unknown): string {
  const [first] = envelope.Errors(value);
  return first ? `${first.instancePath || 'message'}: ${first.message}` : 'unknown shape';
}
