import { lastInstant } from '@visitor-counter/domain/time';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { Clean } from 'typebox/value';
import { type Decoded, decodeValue } from './json-payload.ts';
import {
  cpuTemperatureRange,
  maxBeams,
  maxJournalLength,
  maxLostRanges,
  maxOrderId,
  maxReportedCommands,
  maxUnknownFields,
} from './limits.ts';

const Sequence = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
/** Within the years that every formatter writes in every time zone. */
const EpochMs = Type.Integer({ minimum: 0, maximum: lastInstant });
/** A name or a version: not empty, and without control characters, which break the lines of terminals and mails. */
const Label = Type.String({ maxLength: 64, pattern: '^(?=.*\\S)[^\\p{Cc}\\p{Cs}\\u2028\\u2029]*$' });
const Amount = Type.Number({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const Journal = Type.String({ maxLength: maxJournalLength });

const StorageProblem = Type.Union([Type.Literal('full'), Type.Literal('limit'), Type.Literal('failed')]);
/** Why a unit cannot store crossings: its disk is full, its journal has reached its limit, or the disk cannot be written. */
export type StorageProblem = Static<typeof StorageProblem>;

/** The state of one beam as its unit sees it. */
export const Beam = Type.Object({
  name: Label,
  state: Type.Union([Type.Literal('clear'), Type.Literal('blocked')]),
  since: EpochMs,
  breaks: Sequence,
});

const OrderId = Type.Integer({ minimum: 0, maximum: maxOrderId });
const Problem = Type.String({ maxLength: 500 });

const CommandReport = Type.Object({
  id: OrderId,
  state: Type.Union([Type.Literal('running'), Type.Literal('done'), Type.Literal('failed')]),
  problem: Type.Optional(Problem),
});

export type CommandReport = Static<typeof CommandReport>;

/**
 * How the last update that was ordered has ended.
 * - `installed`: the unit is healthy with this version.
 * - `rolled back`: it was not, and the previous version counts again. The unit never installs this version again.
 * - `failed`: the version could not be installed or judged, and the previous one counts. It may be ordered again.
 */
export const UpdateResult = Type.Object({
  version: Label,
  result: Type.Union([Type.Literal('installed'), Type.Literal('rolled back'), Type.Literal('failed')]),
  reason: Type.Optional(Problem),
  at: EpochMs,
});

export type UpdateResult = Static<typeof UpdateResult>;

/** The payload of `counter/v1/<serial>/heartbeat`. All but `at` may be missing. */
export const HeartbeatMessage = Type.Object({
  at: EpochMs,
  /** Seconds. */
  uptime: Type.Optional(Amount),
  version: Type.Optional(Label),
  journal: Type.Optional(Journal),
  recorded: Type.Optional(Sequence),
  acknowledged: Type.Optional(Sequence),
  clock: Type.Optional(Type.Union([Type.Literal('synced'), Type.Literal('unsynced')])),
  beams: Type.Optional(Type.Array(Beam, { maxItems: maxBeams })),
  /** °C */
  cpuTemperature: Type.Optional(Type.Number(cpuTemperatureRange)),
  /** Bytes. */
  diskFree: Type.Optional(Amount),
  /** Bytes of the whole disk. */
  diskSize: Type.Optional(Amount),
  /** Why crossings cannot be stored, now or soon; missing while they can. */
  storage: Type.Optional(StorageProblem),
  /** Unacknowledged crossings that are only in the unit's memory, in addition to `recorded`. */
  held: Type.Optional(Sequence),
  /** Crossings since the start that were dropped, because its memory was full as well as its disk. */
  givenUp: Type.Optional(Sequence),
  /** Another journal of the unit: one in memory, or one that has ended. Successive heartbeats report all of them. */
  volatile: Type.Optional(Type.Object({ journal: Journal, recorded: Sequence, acknowledged: Sequence })),
  /** The remote settings received last, with the reason if the unit refused them. */
  config: Type.Optional(Type.Object({ revision: OrderId, problem: Type.Optional(Problem) })),
  /** The commands received last, newest first. */
  commands: Type.Optional(Type.Array(CommandReport, { maxItems: maxReportedCommands })),
  update: Type.Optional(UpdateResult),
  lost: Type.Optional(Type.Array(Type.Tuple([Journal, Sequence, Sequence]), { maxItems: maxLostRanges })),
});

export type Heartbeat = Static<typeof HeartbeatMessage>;

/** Every JSON parser can read this depth, including that of the database. */
const maxDepth = 16;

const heartbeat = Compile(HeartbeatMessage);

export function encodeHeartbeat(message: Heartbeat): string {
  return JSON.stringify(message);
}

/**
 * Decodes a heartbeat; each value must be within the bounds of its field. Unknown fields are preserved up to
 * `maxUnknownFields` in total; if there are more, all of them are removed, so that a later version of a unit still reports
 * the known ones.
 */
export function decodeHeartbeat(payload: Uint8Array): Decoded<{ readonly heartbeat: Heartbeat }> {
  const decoded = decodeValue(heartbeat, payload);
  if ('malformed' in decoded) return decoded;
  const { value } = decoded;
  if (isDeeper(value, maxDepth)) return { malformed: `nested deeper than ${maxDepth} levels` };
  const names = (value.beams ?? []).map(({ name }) => name);
  if (new Set(names).size < names.length) return { malformed: '/beams: two beams have the same name' };
  return { heartbeat: payload.length > maxUnknownFields ? withoutExcess(value) : value };
}

function withoutExcess(message: Heartbeat): Heartbeat {
  const known = Clean(HeartbeatMessage, structuredClone(message));
  const excess = JSON.stringify(message).length - JSON.stringify(known).length;
  return excess > maxUnknownFields && heartbeat.Check(known) ? known : message;
}

function isDeeper(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth === 0 || Object.values(value).some((part) => isDeeper(part, depth - 1));
}
