import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { parse } from 'yaml';

const Texts = Type.Array(Type.String());

const Health = Type.Object({ test: Texts });

const Volume = Type.Union([
  Type.String(),
  Type.Object({ source: Type.String(), target: Type.String(), read_only: Type.Optional(Type.Boolean()) }),
]);

/** The part of a service that the tests read. */
const Service = Type.Object({
  image: Type.String(),
  pull_policy: Type.Optional(Type.String()),
  user: Type.Optional(Type.String()),
  restart: Type.Optional(Type.String()),
  read_only: Type.Optional(Type.Boolean()),
  cap_drop: Type.Optional(Texts),
  cap_add: Type.Optional(Texts),
  security_opt: Type.Optional(Texts),
  privileged: Type.Optional(Type.Boolean()),
  mem_limit: Type.Optional(Type.String()),
  pids_limit: Type.Optional(Type.Number()),
  logging: Type.Optional(Type.Object({ options: Type.Record(Type.String(), Type.String()) })),
  profiles: Type.Optional(Texts),
  entrypoint: Type.Optional(Texts),
  command: Type.Optional(Texts),
  environment: Type.Optional(Type.Record(Type.String(), Type.String())),
  secrets: Type.Optional(Texts),
  volumes: Type.Optional(Type.Array(Volume)),
  networks: Type.Optional(Texts),
  ports: Type.Optional(Texts),
  healthcheck: Type.Optional(Health),
  depends_on: Type.Optional(Type.Record(Type.String(), Type.Object({ condition: Type.String() }))),
});

const Compose = Type.Object({
  services: Type.Record(Type.String(), Service),
  secrets: Type.Record(Type.String(), Type.Object({ file: Type.String() })),
  networks: Type.Record(Type.String(), Type.Union([Type.Null(), Type.Object({})])),
  volumes: Type.Record(Type.String(), Type.Union([Type.Null(), Type.Object({})])),
});

const compose = Compile(Compose);

export type Compose = Static<typeof Compose>;
export type Service = Static<typeof Service>;

export const root = join(import.meta.dirname, '../..');

/** The variables of the file `.env`, or of the shell. */
export type Variables = Readonly<Record<string, string | undefined>>;

/**
 * docker-compose.yml, and files that add to it, with these variables, as Compose reads them. Throws for a variable that is
 * required and not set, and for a file that is not of the expected shape.
 */
export function readCompose(variables: Variables, ...others: readonly string[]): Compose {
  const read = (file: string): unknown => {
    const text = readFileSync(join(root, file), 'utf8');
    return parse(text, (_, value) => (typeof value === 'string' ? interpolate(value, variables) : value), {
      merge: true,
    });
  };
  const merged = ['docker-compose.yml', ...others].map(read).reduce(merge);
  if (compose.Check(merged)) return merged;
  const [error] = compose.Errors(merged);
  throw new Error(`${error?.instancePath} ${error?.message}`);
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

/** Mappings are merged key by key, and lists appended. */
function merge(first: unknown, second: unknown): unknown {
  if (Array.isArray(first) && Array.isArray(second)) return [...first, ...second];
  if (!isMapping(first) || !isMapping(second)) return second;
  const keys = new Set([...Object.keys(first), ...Object.keys(second)]);
  return Object.fromEntries(
    [...keys].map((key) => {
      if (!(key in second)) return [key, first[key]];
      return [key, key in first ? merge(first[key], second[key]) : second[key]];
    }),
  );
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
