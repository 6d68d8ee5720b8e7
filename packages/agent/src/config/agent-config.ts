import { serialPattern } from '@visitor-counter/domain/serial';
import { maxCrossingsPerMessage } from '@visitor-counter/wire/limits';
import Type, { type Static, type TSchema } from 'typebox';
import { type BeamsConfig, beamsShapes, GpioLineConfig } from './beams-config.ts';

/**
 * What frees the journal: `puback`, the acknowledgement by the gateway itself; `committed`, the gateway's message through
 * an external broker, whose PUBACK promises less.
 */
export const acknowledgements = ['puback', 'committed'] as const;

const closed = { additionalProperties: false };
const day = 86_400_000;

/** A time in ms with its meaning and default. */
function ms(description: string, { minimum = 0, maximum = day } = {}) {
  return Type.Optional(Type.Integer({ minimum, maximum, description: `${description} (ms)` }));
}

const DetectorConfig = Type.Object(
  {
    debounce: ms('A level counts after it was stable for this long. Default 8', { minimum: 1, maximum: 50 }),
    longestBounce: ms('After this time a line that is not stable is read as it is. Default 100', {
      minimum: 50,
      maximum: 1_000,
    }),
    shortestPassage: ms('A shorter passage is not a person. Default 60'),
    slowPassage: ms('A longer passage counts, and is logged as slow. Default 10000'),
    blockedAfter: ms('A beam broken for longer is blocked. Default 30000', { minimum: 1_000 }),
  },
  closed,
);

const OneBeamConfig = Type.Object(
  {
    direction: Type.Enum(['in', 'out'], { description: 'The direction that everybody takes.' }),
    shortestBreak: ms('A shorter break is not a person. Default 60'),
    refractory: ms('A break that begins sooner after a crossing is the same person. Default 400'),
  },
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

const KeepConfig = Type.Object(
  {
    days: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 366,
        description:
          'Days for which acknowledged crossings are kept, to be sent again. Default 30; fewer if they take a tenth of the disk',
      }),
    ),
    megabytes: Type.Optional(
      Type.Number({
        minimum: 1,
        maximum: 1_000_000,
        description: 'The size limit of a journal. Default 256',
      }),
    ),
  },
  closed,
);

/** The settings that an operator may change remotely. */
export const remoteKeys = {
  detector: Type.Optional(DetectorConfig),
  oneBeam: Type.Optional(Type.Partial(OneBeamConfig)),
  uplink: Type.Optional(UplinkConfig),
  keep: Type.Optional(KeepConfig),
};

/** The settings of a unit, however many doors it has. */
export const unitKeys = {
  server: Type.String({ minLength: 1, description: 'mqtt://host:port or mqtts://host:port' }),
  ca: Type.Optional(
    Type.String({
      minLength: 1,
      description: 'File of the CA certificates that sign the server’s certificate.',
    }),
  ),
  allowPlainMqtt: Type.Optional(
    Type.Boolean({
      description: 'Send the secret without encryption to a server that is not this machine. Default false',
    }),
  ),
  uplink: Type.Optional(UplinkConfig),
  keep: Type.Optional(KeepConfig),
  light: Type.Optional(GpioLineConfig),
};

/** The settings of each door. */
export function doorKeys<Beams extends TSchema>(beams: Beams) {
  return {
    serial: Type.String({ pattern: serialPattern }),
    secret: Type.String({ minLength: 1 }),
    journal: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'Folder of the journal. Default journal, or journal/<serial> of several doors',
      }),
    ),
    beams,
    detector: Type.Optional(DetectorConfig),
    oneBeam: Type.Optional(OneBeamConfig),
  };
}

export const unitShape = Type.Object(unitKeys, closed);

/** A door by its `beams.source`, so that errors refer to the configured source. */
export const doorShapes = {
  gpio: Type.Object(doorKeys(beamsShapes.gpio), closed),
  simulated: Type.Object(doorKeys(beamsShapes.simulated), closed),
  replay: Type.Object(doorKeys(beamsShapes.replay), closed),
};

export type DoorConfig = Omit<Static<typeof doorShapes.gpio>, 'beams' | 'journal'> & {
  readonly beams: BeamsConfig;
  readonly journal: string;
};

/** The checked configuration. A file with one door at its top level has one in `doors`. */
export type AgentConfig = Static<typeof unitShape> & { readonly doors: readonly DoorConfig[] };
