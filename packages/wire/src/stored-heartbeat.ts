import { Compile } from 'typebox/compile';
import { type Heartbeat, HeartbeatMessage } from './heartbeat-message.ts';
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

type StoredField = 'at' | 'uptime' | 'version' | 'recorded' | 'acknowledged' | 'clock';
type StoredState = 'cpuTemperature' | 'diskFree' | 'diskSize' | 'storage';

/** A heartbeat read from the database; undefined for fields that are missing or invalid. */
export interface StoredHeartbeat
  extends Readonly<{ [Field in StoredField | StoredState]: Heartbeat[Field] | undefined }> {
  readonly beams: readonly StoredBeam[];
  readonly held: number;
  readonly givenUp: number;
  /** How many crossings the unit has declared lost. */
  readonly lost: number;
}

const fields = HeartbeatMessage.properties;
const beam = fields.beams.items.properties;
const beamSchemas = {
  name: Compile(beam.name),
  state: Compile(beam.state),
  since: Compile(beam.since),
  breaks: Compile(beam.breaks),
};
const schemas = {
  at: Compile(fields.at),
  uptime: Compile(fields.uptime),
  version: Compile(fields.version),
  sequence: Compile(beam.breaks),
  clock: Compile(fields.clock),
  cpuTemperature: Compile(fields.cpuTemperature),
  diskFree: Compile(fields.diskFree),
  diskSize: Compile(fields.diskSize),
  storage: Compile(fields.storage),
};

/**
 * Reads a stored heartbeat, each value separately by the schema of its field: an invalid one is undefined, and the others
 * are used. The gateway refuses invalid values, but an older version, a restored dump or an operator's own statement may
 * have stored them, and no stored value may make an answer fail. Undefined if `value` is no object.
 */
export function readStoredHeartbeat(value: unknown): StoredHeartbeat | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const stored = recordOf(value);
  return {
    at: valid(schemas.at, stored['at']),
    uptime: valid(schemas.uptime, stored['uptime']),
    version: valid(schemas.version, stored['version']),
    recorded: valid(schemas.sequence, stored['recorded']),
    acknowledged: valid(schemas.sequence, stored['acknowledged']),
    clock: valid(schemas.clock, stored['clock']),
    beams: beamsOf(stored['beams']),
    cpuTemperature: valid(schemas.cpuTemperature, stored['cpuTemperature']),
    diskFree: valid(schemas.diskFree, stored['diskFree']),
    diskSize: valid(schemas.diskSize, stored['diskSize']),
    storage: valid(schemas.storage, stored['storage']),
    held: valid(schemas.sequence, stored['held']) ?? 0,
    givenUp: valid(schemas.sequence, stored['givenUp']) ?? 0,
    lost: lostOf(stored['lost']),
  };
}

function valid<Value>(schema: { Check(value: unknown): value is Value }, value: unknown): Value | undefined {
  return schema.Check(value) ? value : undefined;
}

function beamsOf(value: unknown): StoredBeam[] {
  const names = new Set<string>();
  return listOf(value, maxBeams).flatMap((entry, index) => {
    const stored = recordOf(entry);
    const state = valid(beamSchemas.state, stored['state']);
    if (state === undefined) return [];
    const reported = valid(beamSchemas.name, stored['name']);
    const name = reported === undefined || names.has(reported) ? `beam ${index + 1}` : reported;
    names.add(name);
    const { since, breaks } = stored;
    return { name, state, since: valid(beamSchemas.since, since), breaks: valid(beamSchemas.breaks, breaks) };
  });
}

function lostOf(value: unknown): number {
  const sum = listOf(value, maxLostRanges).reduce<number>((lost, entry) => {
    const [, first, last] = listOf(entry, 3).map((part) => valid(schemas.sequence, part));
    return first === undefined || last === undefined ? lost : lost + Math.max(0, last - first + 1);
  }, 0);
  return Math.min(sum, Number.MAX_SAFE_INTEGER);
}

function listOf(value: unknown, most: number): readonly unknown[] {
  return Array.isArray(value) ? value.slice(0, most) : [];
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}
