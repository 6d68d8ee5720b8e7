import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { parse } from 'yaml';

const Texts = Type.Array(Type.String());

/** The part of a service that the tests read. */
const Service = Type.Object({
  image: Type.String(),
  entrypoint: Type.Optional(Texts),
  command: Type.Optional(Texts),
  environment: Type.Optional(Type.Record(Type.String(), Type.String())),
  healthcheck: Type.Optional(Type.Object({ test: Texts })),
});

const Compose = Type.Object({ services: Type.Record(Type.String(), Service) });
const compose = Compile(Compose);

export type Compose = Static<typeof Compose>;
export type Service = Static<typeof Service>;

export const root = join(import.meta.dirname, '../../..');

/** The variables of the file `.env`, or of the shell. */
export type Variables = Readonly<Record<string, string | undefined>>;

/**
 * docker-compose.yml with these variables, as Compose reads it. Throws for a variable that is required and not set, and if it
 * is not of the expected shape.
 */
export function readCompose(variables: Variables): Compose {
  const text = readFileSync(join(root, 'docker-compose.yml'), 'utf8');
  const insert = (_key: unknown, value: unknown) =>
    typeof value === 'string' ? interpolate(value, variables) : value;
  return compose.Parse(parse(text, insert, { merge: true }));
}

/** The service of this name. */
export function serviceOf({ services }: Compose, name: string): Service {
  const service = services[name];
  if (service === undefined) throw new Error(`there is no service ${name}`);
  return service;
}

const variable = /\$(?:\$|\{(\w+)(?::([-?+])([^}]*))?\})/g;

function interpolate(text: string, variables: Variables): string {
  return text.replaceAll(variable, (whole, name: string, operator?: string, operand = '') => {
    if (whole === '$$') return '$';
    const value = variables[name] || undefined;
    if (operator === '+') return value === undefined ? '' : operand;
    if (value !== undefined) return value;
    if (operator === '?') throw new Error(`${name} is not set: ${operand}`);
    return operator === '-' ? operand : '';
  });
}
