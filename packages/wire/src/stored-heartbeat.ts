import { isMapping } from '@visitor-counter/domain/read-value';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { Beam, HeartbeatMessage } from './heartbeat-message.ts';
import type { Schema } from './json-payload.ts';
import { maxBeams, maxLostRanges } from './limits.ts';

/** A beam in the last heartbeat of its unit. */
interface StoredBeam {
  /** Unique in its heartbeat; `beam 2` for a second beam whose name is missing, invalid or not unique. */
  readonly name: string;
  readonly state: 'clear' | 'blocked';
  /** Epoch ms by the unit's clock. */
  readonly since: number | undefined;
  readonly breaks: number | undefined;
}

const Fields = Type.Partial(Type.Omit(HeartbeatMessage, ['beams', 'lost']));

/** A heartbeat read from the database, without the fields that are missing or invalid. */
export interface StoredHeartbeat extends Static<typeof Fields> {
  readonly beams: readonly StoredBeam[];
  /** The additional field `lines` has a reason why the unit cannot read its beams, which become `blocked` after a while. */
  readonly areBeamsUnreadable: boolean;
  readonly held: number;
  readonly givenUp: number;
  /** How many crossings the unit has declared lost. */
  readonly lost: number;
}

const fieldsSchema = Compile(Fields);
const beamSchema = Compile(Type.Partial(Beam));
const lostSchema = Compile(Type.Tuple([Type.Unknown(), Beam.properties.breaks, Beam.properties.breaks]));

/**
 * Reads a stored heartbeat. An invalid value is left out, and the others are used. The gateway refuses invalid values, but
 * an older version, a restored dump or an operator may have stored some, and no stored value may make an answer fail.
 * Undefined if `value` is not an object.
 */
export function readStoredHeartbeat(value: unknown): StoredHeartbeat | undefined {
  if (!isMapping(value)) return undefined;
  const { beams, lines, lost, ...others } = value;
  const fields = validFields(fieldsSchema, others);
  const { held = 0, givenUp = 0 } = fields;
  const areBeamsUnreadable = isMapping(lines) && typeof lines['problem'] === 'string';
  return { ...fields, held, givenUp, beams: beamsOf(beams), areBeamsUnreadable, lost: lostOf(lost) };
}

/** The fields of an object without the known ones that have an invalid value. */
function validFields<Fields>(schema: Schema<Fields>, value: Readonly<Record<string, unknown>>): Fields {
  const fields = { ...value };
  while (!schema.Check(fields)) {
    const [, name = ''] = schema.Errors(fields)[0]?.instancePath.split('/') ?? [];
    delete fields[name];
  }
  return fields;
}

function beamsOf(value: unknown): StoredBeam[] {
  const names = new Set<string>();
  return listOf(value, maxBeams).flatMap((entry, index) => {
    const beam = validFields(beamSchema, isMapping(entry) ? entry : {});
    const { name: reported, state, since, breaks } = beam;
    if (state === undefined) return [];
    const name = reported === undefined || names.has(reported) ? `beam ${index + 1}` : reported;
    names.add(name);
    return [{ name, state, since, breaks }];
  });
}

function lostOf(value: unknown): number {
  const sum = listOf(value, maxLostRanges).reduce<number>((lost, range) => {
    if (!lostSchema.Check(range)) return lost;
    const [, first, last] = range;
    return lost + Math.max(0, last - first + 1);
  }, 0);
  return Math.min(sum, Number.MAX_SAFE_INTEGER);
}

function listOf(value: unknown, most: number): readonly unknown[] {
  return Array.isArray(value) ? value.slice(0, most) : [];
}
