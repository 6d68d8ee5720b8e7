import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { decodeWith } from './decode-with.ts';

const Id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
const Instant = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

/**
 * The payload of `counter/v1/<serial>/commands`: one command. Ids of a device grow; a unit does each at most once,
 * and says in its heartbeat through which id it has done them. `resend` sends again what is kept of the crossings
 * from `from` to `until` (epoch ms), both included.
 */
const CommandMessage = Type.Union([
  Type.Object({ id: Id, command: Type.Literal('identify') }),
  Type.Object({ id: Id, command: Type.Literal('restart') }),
  Type.Object({ id: Id, command: Type.Literal('resend'), from: Instant, until: Instant }),
]);

export type UnitCommand = Static<typeof CommandMessage>;

const command = Compile(CommandMessage);

export type DecodedCommand = UnitCommand | { readonly malformed: string };

export function encodeCommand(message: UnitCommand): string {
  return JSON.stringify(message);
}

export function decodeCommand(payload: Uint8Array): DecodedCommand {
  return decodeWith(command, payload);
}
