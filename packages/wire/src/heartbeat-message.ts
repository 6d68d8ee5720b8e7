import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { parseJsonPayload } from './json-payload.ts';
import { maxJournalLength, maxMissingRanges, maxOrderId, maxReportedCommands } from './limits.ts';

const Sequence = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
/** The latest instant that ECMAScript knows. */
const EpochMs = Type.Integer({ minimum: 0, maximum: 8.64e15 });
const Journal = Type.String({ maxLength: maxJournalLength });

/** The state of one beam as its unit sees it. */
const Beam = Type.Object({
  name: Type.String({ maxLength: 64 }),
  state: Type.Union([Type.Literal('clear'), Type.Literal('blocked')]),
  since: EpochMs,
  breaks: Sequence,
});

const OrderId = Type.Integer({ minimum: 0, maximum: maxOrderId });
const Problem = Type.String({ maxLength: 500 });

/** The state of a command. For a resend: how many crossings were sent, of how many, and which it no longer has. */
const CommandReport = Type.Object({
  id: OrderId,
  state: Type.Union([Type.Literal('running'), Type.Literal('done'), Type.Literal('failed')]),
  sent: Type.Optional(Sequence),
  total: Type.Optional(Sequence),
  problem: Type.Optional(Problem),
  missing: Type.Optional(Type.Array(Type.Tuple([Sequence, Sequence]), { maxItems: maxMissingRanges })),
});

export type CommandReport = Static<typeof CommandReport>;

/** The payload of `counter/v1/<serial>/heartbeat`. Unknown fields are kept; all but `at` may be missing. */
const HeartbeatMessage = Type.Object({
  at: EpochMs,
  uptime: Type.Optional(Type.Number({ minimum: 0 })),
  version: Type.Optional(Type.String({ maxLength: 64 })),
  journal: Type.Optional(Journal),
  recorded: Type.Optional(Sequence),
  acknowledged: Type.Optional(Sequence),
  clock: Type.Optional(Type.Union([Type.Literal('synced'), Type.Literal('unsynced')])),
  beams: Type.Optional(Type.Array(Beam, { maxItems: 16 })),
  cpuTemperature: Type.Optional(Type.Number()),
  diskFree: Type.Optional(Type.Number({ minimum: 0 })),
  /** The remote settings received last, with the reason if the unit refused them. */
  config: Type.Optional(Type.Object({ revision: OrderId, problem: Type.Optional(Problem) })),
  /** The commands received last, newest first. */
  commands: Type.Optional(Type.Array(CommandReport, { maxItems: maxReportedCommands })),
  lost: Type.Optional(Type.Array(Type.Tuple([Journal, Sequence, Sequence]), { maxItems: 1_000 })),
});

export type Heartbeat = Static<typeof HeartbeatMessage>;

const heartbeat = Compile(HeartbeatMessage);

export type DecodedHeartbeat = { readonly heartbeat: Heartbeat } | { readonly malformed: string };

export function encodeHeartbeat(message: Heartbeat): string {
  return JSON.stringify(message);
}

export function decodeHeartbeat(payload: Uint8Array): DecodedHeartbeat {
  const parsed = parseJsonPayload(payload);
  if ('problem' in parsed) return { malformed: parsed.problem };
  if (heartbeat.Check(parsed.value)) return { heartbeat: parsed.value };
  const [first] = heartbeat.Errors(parsed.value);
  return { malformed: first ? `${first.instancePath || 'message'}: ${first.message}` : 'unknown shape' };
}
