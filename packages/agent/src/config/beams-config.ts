import Type, { type Static } from 'typebox';
import { biases } from '../gpio/gpio-tools.ts';

const closed = { additionalProperties: false };
const Instant = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

export const GpioLineConfig = Type.Object(
  {
    line: Type.String({
      maxLength: 32,
      pattern: '^[A-Za-z][A-Za-z0-9_.-]*$',
      description: 'Name of a GPIO line, as `gpioinfo` lists it, such as GPIO17.',
    }),
    activeLow: Type.Optional(
      Type.Boolean({ description: 'A low level means broken (beams) or lit (light). Default false.' }),
    ),
  },
  closed,
);

const GpioBeamsConfig = Type.Object(
  {
    source: Type.Literal('gpio'),
    a: GpioLineConfig,
    b: Type.Optional(GpioLineConfig),
    bias: Type.Optional(Type.Enum(biases, { description: 'What pulls the lines. Default pull-up.' })),
  },
  closed,
);

const SimulatedBeamsConfig = Type.Object(
  {
    source: Type.Literal('simulated'),
    profile: Type.String({ minLength: 1, description: 'File of a traffic profile.' }),
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
    file: Type.String({ minLength: 1, description: 'File of an edge trace.' }),
    realTime: Type.Optional(Type.Boolean()),
  },
  closed,
);

/** Where edges come from, by the word in `source`. */
export const beamsShapes = {
  gpio: GpioBeamsConfig,
  simulated: SimulatedBeamsConfig,
  replay: ReplayBeamsConfig,
};

export type BeamsSource = keyof typeof beamsShapes;
export type GpioLineConfig = Static<typeof GpioLineConfig>;
export type GpioBeamsConfig = Static<typeof GpioBeamsConfig>;
export type BeamsConfig = Static<(typeof beamsShapes)[BeamsSource]>;
