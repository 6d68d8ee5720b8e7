import { readFileSync } from 'node:fs';
import { ConfigurationError } from './configuration-error.ts';
import type { Environment } from './environment.ts';

/** The format of a variable's text, and its conversion to a value. */
export interface Kind<Value> {
  /** The expected values, in the words of errors and the reference page: "a port, 0 to 65535". */
  readonly expected: string;
  /** The value; undefined if the text cannot be used. */
  readonly parse: (text: string) => Value | undefined;
}

/** One environment variable: a row of the table that defines parsing, `--help` and the reference page. */
export interface Setting {
  readonly kind: Kind<unknown>;
  /** Its meaning, in one sentence, as Markdown. */
  readonly does: string;
  /** The text that is used if the variable is not set or empty. */
  readonly default?: string;
  /** The default in words, if it depends on something else. */
  readonly otherwise?: string;
  /** The value may contain a secret: errors do not show it, and `<name>_FILE` may name a file that contains it. */
  readonly isSecret?: true;
}

/** Settings by the name of their variable. */
export type Settings = Readonly<Record<string, Setting>>;

/** Settings that `--help` and the reference page show under one heading. */
export interface SettingsGroup {
  readonly title: string;
  readonly settings: Settings;
}

/** The typed values of settings: undefined only if there is neither a text nor a default. */
export type Values<Table extends Settings> = { readonly [Name in keyof Table]: ValueOf<Table[Name]> };

type ValueOf<Row extends Setting> =
  Row['kind'] extends Kind<infer Value>
    ? Row extends { readonly default: string }
      ? Value
      : Value | undefined
    : never;

/**
 * Reads settings from the environment, each independently; the caller checks rules between settings. Throws a
 * ConfigurationError for the first text that cannot be used.
 */
export function readSettings<Table extends Settings>(table: Table, env: Environment): Values<Table>;
export function readSettings(table: Settings, env: Environment): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(table).map(([name, setting]) => [name, readSetting(name, setting, env)]),
  );
}

function readSetting(name: string, { kind, isSecret, ...setting }: Setting, env: Environment): unknown {
  const given = isSecret ? secretText(name, env) : env[name];
  const text = given || setting.default;
  if (text === undefined) return undefined;
  const value = kind.parse(text);
  if (value === undefined) throw new ConfigurationError(name, isSecret ? '…' : text, kind.expected);
  return value;
}

/** The variable that names a file with the value of a secret. */
export function fileVariable(name: string): string {
  return `${name}_FILE`;
}

/** The variable's own text, or the content of its file without the white space around it. */
function secretText(name: string, env: Environment): string | undefined {
  const variable = fileVariable(name);
  const file = env[variable];
  if (!file) return env[name];
  if (env[name]) throw new ConfigurationError(variable, file, `only one of ${name} and ${variable}`);
  const content = readSecret(variable, file).trim();
  if (content === '') throw new ConfigurationError(variable, file, 'a file that is not empty');
  return content;
}

function readSecret(variable: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigurationError(variable, file, `a file that can be read (${reason})`);
  }
}
