import { serialPattern } from '@visitor-counter/domain/serial';
import Type, { type Static, type TObject, type TProperties } from 'typebox';
import { biases } from '../gpio/libgpiod.ts';

/** An object without other keys. */
export function closedObject<Keys extends TProperties>(keys: Keys) {
  return Type.Object(keys, { additionalProperties: false });
}

const Instant = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

const GpioLineConfig = closedObject({
  line: Type.String({
    maxLength: 32,
    pattern: '^[A-Za-z][A-Za-z0-9_.-]*$',
    description: 'Name of a GPIO line, as `gpioinfo` lists it, such as GPIO17.',
  }),
  activeLow: Type.Optional(
    Type.Boolean({ description: 'A low level means broken (beams) or lit (light). Default false.' }),
  ),
});

/** Where edges come from, by the word in `source`. */
export const beamsShapes = {
  gpio: closedObject({
    source: Type.Literal('gpio'),
    a: GpioLineConfig,
    b: Type.Optional(GpioLineConfig),
    bias: Type.Optional(Type.Enum(biases, { description: 'What pulls the lines. Default pull-up.' })),
  }),
  simulated: closedObject({
    source: Type.Literal('simulated'),
    profile: Type.String({ minLength: 1, description: 'File of a traffic profile.' }),
    timeZone: Type.String({ minLength: 1 }),
    startsOn: Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' }),
    overlays: Type.Optional(Type.Array(Type.Integer({ minimum: 0 }), { minItems: 1 })),
    from: Type.Optional(Instant),
    until: Type.Optional(Instant),
  }),
  replay: closedObject({
    source: Type.Literal('replay'),
    file: Type.String({ minLength: 1, description: 'File of an edge trace.' }),
    realTime: Type.Optional(Type.Boolean()),
  }),
};

export type BeamsSource = keyof typeof beamsShapes;
export type GpioLineConfig = Static<typeof GpioLineConfig>;
export type GpioBeamsConfig = Static<typeof beamsShapes.gpio>;
export type BeamsConfig = Static<(typeof beamsShapes)[BeamsSource]>;

/**
 * Whether a source waits while the journal is opened or the disk is busy. People at a real sensor do not wait: their edges
 * are read ahead, and while the disk cannot be written their crossings are held in memory and delivered from there.
 */
export function canWait({ source }: BeamsConfig): boolean {
  return source !== 'gpio';
}

const day = 86_400_000;

/** A time in ms with its meaning and default. */
function ms(meaning: string, standard: number, { minimum = 0, maximum = day } = {}) {
  const description = `${meaning}. Default ${standard} (ms)`;
  return Type.Optional(Type.Integer({ minimum, maximum, description }));
}

export const defaultDetectorSettings = {
  debounce: 8,
  shortestPassage: 60,
  blockedAfter: 30_000,
};

const standard = defaultDetectorSettings;
const DetectorConfig = closedObject({
  debounce: ms('A level counts after it was stable for this long', standard.debounce, {
    minimum: 1,
    maximum: 50,
  }),
  shortestPassage: ms('A shorter passage is not a person', standard.shortestPassage),
  blockedAfter: ms('A beam broken for longer is blocked', standard.blockedAfter, { minimum: 1_000 }),
});

export const defaultRefractory = 400;

const OneBeamConfig = closedObject({
  direction: Type.Enum(['in', 'out'], { description: 'The direction that everybody takes.' }),
  refractory: ms('A break that begins sooner after a crossing is the same person', defaultRefractory),
});

/** The settings that an operator may change remotely. */
export const remoteKeys = {
  detector: Type.Optional(DetectorConfig),
  oneBeam: Type.Optional(Type.Partial(OneBeamConfig)),
  uplink: Type.Optional(
    closedObject({ heartbeatSeconds: Type.Optional(Type.Number({ minimum: 1, maximum: 86_400 })) }),
  ),
  keep: Type.Optional(
    closedObject({
      days: Type.Optional(
        Type.Number({
          minimum: 0,
          maximum: 366,
          description:
            'Days for which acknowledged crossings are kept, to be sent again. Default 30; fewer when the journal reaches 256 MB or the disk is full',
        }),
      ),
    }),
  ),
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
  uplink: remoteKeys.uplink,
  keep: remoteKeys.keep,
  light: Type.Optional(GpioLineConfig),
};

/** The settings of each door, in addition to its `beams`. */
export const doorKeys = {
  serial: Type.String({ pattern: serialPattern }),
  secret: Type.String({ minLength: 1 }),
  journal: Type.Optional(
    Type.String({
      minLength: 1,
      description: 'Folder of the journal. Default journal, or journal/<serial> of several doors',
    }),
  ),
  detector: remoteKeys.detector,
  oneBeam: Type.Optional(OneBeamConfig),
};

/** The parameters of detection (ms). */
export type DetectorSettings = Required<Static<typeof DetectorConfig>>;
/** Those of a door with one beam. */
export type OneBeamSettings = Static<typeof OneBeamConfig>;

export type DoorConfig = Omit<Static<TObject<typeof doorKeys>>, 'journal'> & {
  readonly beams: BeamsConfig;
  readonly journal: string;
};

/** The checked configuration. A file with one door at its top level has one in `doors`. */
export type AgentConfig = Static<TObject<typeof unitKeys>> & { readonly doors: readonly DoorConfig[] };
