import { serialPattern } from '@visitor-counter/domain/serial';
import { maxCrossingsPerMessage } from '@visitor-counter/wire/limits';
import Type, { type Static, type TSchema } from 'typebox';
import { biases } from '../gpio/gpio-tools.ts';
import { acknowledgements } from '../uplink/uplink-settings.ts';

const closed = { additionalProperties: false };
const Milliseconds = Type.Integer({ minimum: 0, maximum: 86_400_000 });
const Instant = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

const SimulatedBeamsConfig = Type.Object(
  {
    source: Type.Literal('simulated'),
    /** File of a traffic profile. */
    profile: Type.String({ minLength: 1 }),
    timeZone: Type.String({ minLength: 1 }),
    startsOn: Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' }),
    overlays: Type.Optional(Type.Array(Type.Integer({ minimum: 0 }), { minItems: 1 })),
    from: Type.Optional(Instant),
    until: Type.Optional(Instant),
  },
  closed,
);

const ReplayBeamsConfig = Type.Object(
  {
    source: Type.Literal('replay'),
    /** File of an edge trace. */
    file: Type.String({ minLength: 1 }),
    realTime: Type.Optional(Type.Boolean()),
  },
  closed,
);

const GpioLineConfig = Type.Object(
  {
    /** The line's name. */
    line: Type.String({ minLength: 1, maxLength: 32, pattern: '^[A-Za-z][A-Za-z0-9_.-]*$' }),
    /** A low level means that the beam is broken. */
    activeLow: Type.Optional(Type.Boolean()),
  },
  closed,
);

const GpioBeamsConfig = Type.Object(
  {
    source: Type.Literal('gpio'),
    a: GpioLineConfig,
    b: GpioLineConfig,
    bias: Type.Optional(Type.Enum(biases)),
  },
  closed,
);

const DetectorConfig = Type.Partial(
  Type.Object({
    debounce: Type.Integer({ minimum: 1, maximum: 50 }),
    longestBounce: Type.Integer({ minimum: 50, maximum: 1_000 }),
    shortestPassage: Milliseconds,
    slowPassage: Milliseconds,
    blockedAfter: Milliseconds,
  }),
  closed,
);

const UplinkConfig = Type.Object(
  {
    window: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
    crossingsPerMessage: Type.Optional(Type.Integer({ minimum: 1, maximum: maxCrossingsPerMessage })),
    acknowledgement: Type.Optional(Type.Enum(acknowledgements)),
    commitSeconds: Type.Optional(Type.Number({ minimum: 1, maximum: 3_600 })),
    heartbeatSeconds: Type.Optional(Type.Number({ minimum: 1, maximum: 86_400 })),
  },
  closed,
);

/** The file that `agent run --config` reads, with beams of one kind. */
function fileWith<Beams extends TSchema>(beams: Beams) {
  return Type.Object(
    {
      serial: Type.String({ pattern: serialPattern }),
      secret: Type.String({ minLength: 1 }),
      server: Type.String({ minLength: 1 }),
      /** File of the certificates that the server's must be signed by. */
      ca: Type.Optional(Type.String({ minLength: 1 })),
      journal: Type.String({ minLength: 1 }),
      beams,
      detector: Type.Optional(DetectorConfig),
      uplink: Type.Optional(UplinkConfig),
    },
    closed,
  );
}

/** The file's shape by `beams.source`, so that errors are told against the source that was meant. */
export const agentConfigShapes = {
  simulated: fileWith(SimulatedBeamsConfig),
  replay: fileWith(ReplayBeamsConfig),
  gpio: fileWith(GpioBeamsConfig),
};

export type SimulatedBeamsConfig = Static<typeof SimulatedBeamsConfig>;
export type ReplayBeamsConfig = Static<typeof ReplayBeamsConfig>;
export type GpioBeamsConfig = Static<typeof GpioBeamsConfig>;
export type BeamsConfig = SimulatedBeamsConfig | ReplayBeamsConfig | GpioBeamsConfig;
export type AgentConfigFile = Omit<Static<typeof agentConfigShapes.gpio>, 'beams'> & {
  readonly beams: BeamsConfig;
};
