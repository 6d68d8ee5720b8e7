import { isMapping } from '@visitor-counter/domain/parsed-json';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { type Beam, type Heartbeat, HeartbeatMessage } from './heartbeat-message.ts';
import { maxClockError } from './limits.ts';

const Fields = Type.Partial(Type.Object({ ...HeartbeatMessage.properties, lines: Type.Unknown() }));

/** A heartbeat read from the database. */
export interface StoredHeartbeat extends Omit<Static<typeof Fields>, 'lost'> {
  readonly beams: Static<typeof Beam>[];
  /**
   * The additional field `lines` has a reason why the unit cannot read its beams; they become `blocked` only if it never begins
   * to.
   */
  readonly areBeamsUnreadable: boolean;
  /** The additional field `lines` says that a beam flickers. */
  readonly isFlickering: boolean;
  readonly held: number;
  readonly givenUp: number;
  /** How many crossings the unit has declared lost. */
  readonly lost: number;
}

const schema = Compile(Fields);

/**
 * Reads a stored heartbeat. The gateway refuses invalid ones; no stored value may make an answer fail, so one that it has not
 * stored is read as one without fields. Undefined if `value` is not an object.
 */
export function readStoredHeartbeat(value: unknown): StoredHeartbeat | undefined {
  if (!isMapping(value)) return undefined;
  const { beams = [], lines, lost = [], held = 0, givenUp = 0, ...fields } = schema.Check(value) ? value : {};
  const areBeamsUnreadable = isMapping(lines) && typeof lines['problem'] === 'string';
  const isFlickering = isMapping(lines) && typeof lines['flickering'] === 'string';
  const count = lost.reduce((sum, [, first, last]) => sum + Math.max(0, last - first + 1), 0);
  return {
    ...fields,
    beams,
    areBeamsUnreadable,
    isFlickering,
    held,
    givenUp,
    lost: Math.min(count, Number.MAX_SAFE_INTEGER),
  };
}

type Counts = 'recorded' | 'acknowledged' | 'held' | 'volatile';

/**
 * How many crossings a unit had recorded that were not acknowledged, by its heartbeat; undefined if it does not report that.
 * `stored`: how many of its journal have been stored since.
 */
export function pendingCrossings(
  { recorded, acknowledged, held = 0, volatile }: Pick<Heartbeat, Counts>,
  stored = 0,
): number | undefined {
  if (recorded === undefined || acknowledged === undefined) return undefined;
  /* What is held is in the other journal, unless that is one on the disk that has ended. */
  const ofOther = volatile ? volatile.recorded - volatile.acknowledged : 0;
  return Math.max(0, recorded - acknowledged - stored) + Math.max(held, ofOther);
}

/** The clock of a unit by a heartbeat that arrived at an instant (epoch ms): `wrong` if it is not what the unit believes. */
export function clockOf({ at, clock }: Pick<StoredHeartbeat, 'at' | 'clock'>, arrivedAt: number) {
  const isWrong = at !== undefined && Math.abs(at - arrivedAt) > maxClockError;
  return isWrong && clock === 'synced' ? 'wrong' : clock;
}
