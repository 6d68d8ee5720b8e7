import Type, { type Static } from 'typebox';

/** The options of a load, as one JSON argument. */
export const LoadOrder = Type.Object({
  port: Type.Integer(),
  units: Type.Integer({ minimum: 1 }),
  /** `lean` when left out; `unit` is MQTT.js as the product's units use it. */
  client: Type.Optional(Type.Union([Type.Literal('lean'), Type.Literal('MQTT.js'), Type.Literal('unit')])),
  crossingsPerMessage: Type.Integer({ minimum: 1, maximum: 1_000 }),
  /** The warm-up time (s): programs are slow until they have been compiled. */
  warmUp: Type.Number({ minimum: 0 }),
  /** Length of the measurement (s). */
  seconds: Type.Number({ minimum: 0 }),
  pace: Type.Union([
    /** Each unit has so many messages in flight at any time. */
    Type.Object({ inFlight: Type.Integer({ minimum: 1, maximum: 1_000 }) }),
    /** Each unit sends a message of crossings, and a heartbeat, once in so many seconds, acknowledged or not. */
    Type.Object({
      every: Type.Number({ exclusiveMinimum: 0 }),
      heartbeatEvery: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
    }),
  ]),
  /** The instant of each unit's first crossing (epoch ms) for pending crossings; without it they happen now. */
  since: Type.Optional(Type.Number()),
});
export type LoadOrder = Static<typeof LoadOrder>;

/** From the instant at which messages were due to their PUBACKs (ms). */
const Latency = Type.Object({
  count: Type.Integer(),
  p50: Type.Number(),
  p99: Type.Number(),
  max: Type.Number(),
});

/** The result of a load. */
export const LoadResult = Type.Object({
  /** Acknowledged during the measurement. */
  messagesPerSecond: Type.Number(),
  crossingsPerSecond: Type.Number(),
  crossings: Latency,
  heartbeats: Latency,
  /** Processors that the load itself used. */
  processors: Type.Number(),
});
export type LoadResult = Static<typeof LoadResult>;
