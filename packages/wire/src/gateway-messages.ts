import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { journalIdPattern } from './crossings-message.ts';
import { type Decoded, decodeJson, parseJsonPayload } from './json-payload.ts';
import { maxOrderId } from './limits.ts';

const Id = Type.Integer({ minimum: 1, maximum: maxOrderId });
const Instant = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const Sequence = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
const Journal = Type.String({ pattern: journalIdPattern });
const Resend = Type.Literal('resend');

/**
 * The payload of `counter/v1/<serial>/commands`: one command. Ids are random and say nothing about order; a unit
 * executes each id at most once and reports its state in the heartbeat.
 *
 * - `identify` blinks the unit's light, `restart` restarts its program.
 * - `diagnose` examines the unit and publishes the result on its channel `diagnosis`.
 * - `resend` sends acknowledged crossings again: those with instants `from` to `until` (epoch ms), or the sequences
 *   `first` to `last` of a journal. Both bounds are included.
 * - `begin-journal` ends the journal with this id: the unit delivers its pending crossings, then continues in a new
 *   journal. It is done at once if the unit already uses another journal.
 */
export const CommandMessage = Type.Union([
  Type.Object({ id: Id, command: Type.Literal('identify') }),
  Type.Object({ id: Id, command: Type.Literal('restart') }),
  Type.Object({ id: Id, command: Type.Literal('diagnose') }),
  Type.Object({ id: Id, command: Resend, from: Instant, until: Instant }),
  Type.Object({ id: Id, command: Resend, journal: Journal, first: Sequence, last: Sequence }),
  Type.Object({ id: Id, command: Type.Literal('begin-journal'), journal: Journal }),
]);

export type UnitCommand = Static<typeof CommandMessage>;

const command = Compile(CommandMessage);

export function encodeCommand(message: UnitCommand): string {
  return JSON.stringify(message);
}

export function decodeCommand(payload: Uint8Array): Decoded<UnitCommand> {
  return decodeJson(command, payload);
}

/**
 * The payload of `counter/v1/<serial>/config`: all remote settings of a unit. The unit validates them, and reports
 * their revision in its heartbeat. Revisions are random: another revision is a newer one. A key that is missing has
 * the value of the unit's own file.
 */
const ConfigMessage = Type.Object({
  revision: Type.Integer({ minimum: 1, maximum: maxOrderId }),
  settings: Type.Record(Type.String(), Type.Unknown()),
});

export type RemoteConfig = Static<typeof ConfigMessage>;

const config = Compile(ConfigMessage);

export function encodeConfig({ revision, settings }: RemoteConfig): string {
  return JSON.stringify({ revision, settings });
}

export function decodeConfig(payload: Uint8Array): Decoded<RemoteConfig> {
  return decodeJson(config, payload);
}

/**
 * The payload of `counter/v1/<serial>/committed`: every sequence of the journal up to `through` is stored,
 * kept as rejected, or given up by the unit itself. It never has to be sent again.
 */
const CommittedMessage = Type.Object({
  journal: Type.String({ pattern: journalIdPattern }),
  through: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
});

type Committed = Static<typeof CommittedMessage>;

const committed = Compile(CommittedMessage);

export function encodeCommitted({ journal, through }: Committed): string {
  return JSON.stringify({ journal, through });
}

export function decodeCommitted(payload: Uint8Array): Decoded<Committed> {
  return decodeJson(committed, payload);
}

/** The payload of `counter/v1/<serial>/time`: the gateway's clock, in answer to a heartbeat. */
const TimeMessage = Type.Object({ at: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }) });

const time = Compile(TimeMessage);

export function encodeTime(message: Static<typeof TimeMessage>): string {
  return JSON.stringify(message);
}

/** The gateway's clock (epoch ms); undefined when the payload is not a time message. */
export function decodeTime(payload: Uint8Array): number | undefined {
  const parsed = parseJsonPayload(payload);
  return 'value' in parsed && time.Check(parsed.value) ? parsed.value.at : undefined;
}
