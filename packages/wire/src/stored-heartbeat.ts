import { isMapping } from '@visitor-counter/domain/read-value';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { Beam, HeartbeatMessage } from './heartbeat-message.ts';

const StoredBeam = Type.Object({
  ...Type.Partial(Beam).properties,
  name: Beam.properties.name,
  state: Beam.properties.state,
});

const Fields = Type.Partial(
  Type.Object({ ...HeartbeatMessage.properties, beams: Type.Array(StoredBeam), lines: Type.Unknown() }),
);

/** A heartbeat read from the database. */
export interface StoredHeartbeat extends Omit<Static<typeof Fields>, 'lost'> {
  readonly beams: Static<typeof StoredBeam>[];
  /** The additional field `lines` has a reason why the unit cannot read its beams; they become `blocked` only if it never begins to. */
  readonly areBeamsUnreadable: boolean;
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
  const count = lost.reduce((sum, [, first, last]) => sum + Math.max(0, last - first + 1), 0);
  return {
    ...fields,
    beams,
    areBeamsUnreadable,
    held,
    givenUp,
    lost: Math.min(count, Number.MAX_SAFE_INTEGER),
  };
}
