import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { journalIdPattern } from './crossings-message.ts';
import { jsonCodec } from './json-payload.ts';
import { maxOrderId } from './limits.ts';

const OrderId = Type.Integer({ minimum: 1, maximum: maxOrderId });
const Instant = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const Sequence = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
/** A version of this product. */
const Version = Type.String({ maxLength: 64, pattern: '^\\d+\\.\\d+\\.\\d+(-[0-9A-Za-z.-]+)?$' });
const Journal = Type.String({ pattern: journalIdPattern });

/**
 * The payload of `counter/v1/<serial>/commands`: one command. Ids are random and say nothing about order; a unit
 * executes each id at most once and reports its state in the heartbeat.
 *
 * - `identify` blinks the unit's light, `restart` restarts its program.
 * - `diagnose` examines the unit and publishes the result on its channel `diagnosis`.
 * - `continue` delivers a journal again from the sequence `from` on. The unit declares lost what it no longer has; the
 *   command fails if it does not have the journal, or has lost its end from there on.
 * - `update` installs this version of the agent (from its package source), then Debian's security updates; `version` null:
 *   only these. The heartbeat reports the result in `update`.
 * - `begin-journal` ends the journal with this id: the unit delivers its pending crossings, then continues in a new
 *   journal. It is done immediately if the unit already uses another journal.
 */
const CommandMessage = Type.Union([
  Type.Object({ id: OrderId, command: Type.Literal('identify') }),
  Type.Object({ id: OrderId, command: Type.Literal('restart') }),
  Type.Object({ id: OrderId, command: Type.Literal('diagnose') }),
  Type.Object({ id: OrderId, command: Type.Literal('continue'), journal: Journal, from: Sequence }),
  Type.Object({ id: OrderId, command: Type.Literal('update'), version: Type.Union([Version, Type.Null()]) }),
  Type.Object({ id: OrderId, command: Type.Literal('begin-journal'), journal: Journal }),
]);

export type UnitCommand = Static<typeof CommandMessage>;

/** A command without its id. */
export type UnitOrder = WithoutId<UnitCommand>;
type WithoutId<Command> = Command extends unknown ? Omit<Command, 'id'> : never;

export const { encode: encodeCommand, decode: decodeCommand } = jsonCodec(Compile(CommandMessage));

/**
 * The payload of `counter/v1/<serial>/config`: all remote settings of a unit. The unit validates them, and reports
 * their revision in its heartbeat. Revisions are random: another revision is a newer one. A key that is missing has
 * the value of the unit's own file.
 */
const ConfigMessage = Type.Object({
  revision: OrderId,
  settings: Type.Record(Type.String(), Type.Unknown()),
});

export type RemoteConfig = Static<typeof ConfigMessage>;

export const { encode: encodeConfig, decode: decodeConfig } = jsonCodec(Compile(ConfigMessage));

/** The payload of `counter/v1/<serial>/time`: the gateway's clock (epoch ms), in answer to a heartbeat. */
export const { encode: encodeTime, decode: decodeTime } = jsonCodec(Compile(Type.Object({ at: Instant })));
