import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { readNamedFile } from '@visitor-counter/service/files';
import { firstLineOf } from '@visitor-counter/service/given-secret';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import { textLike } from '@visitor-counter/service/settings/kinds';
import type { Kind } from '@visitor-counter/service/settings/setting';
import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import type { CommandContext } from './context.ts';
import { plain } from './text.ts';

/** An option of a command, with the type of its value. */
export interface OptionSpec<Value> {
  /** Such as `<name>`, `<name...>` for several; left out for an option without a value. */
  readonly value?: string;
  readonly description: string;
  readonly kind?: Kind<Value>;
  readonly required?: boolean;
  /** The text that is parsed if the option is left out. */
  readonly fallback?: string;
  /** Every user of the machine can read arguments, so `--<name>-file` reads it from a file or from standard input. */
  readonly isSecret?: true;
}

/** An argument of a command, with the type of its value. */
export interface ArgumentSpec<Value> {
  /** `<name>`, `[name]` if it can be left out, with `...` for several. */
  readonly name: string;
  readonly description: string;
  readonly kind?: Kind<Value>;
}

type Options = Readonly<Record<string, OptionSpec<unknown>>>;

type Values<Specs extends Options> = {
  readonly [Name in keyof Specs]: Specs[Name] extends OptionSpec<infer Value>
    ? Specs[Name] extends { readonly required: true } | { readonly fallback: string }
      ? Value
      : Value | undefined
    : never;
} & { readonly json: true | undefined };

/** The result of a command, with `--json` and for people. The text may contain untrusted text. */
export interface Output {
  readonly json: unknown;
  readonly text: string;
  /** The command worked, but its result is a failure: exit code 1. */
  readonly isFailure?: boolean;
}

/** The printed output of a command is a failure. */
export class FailureShown extends Error {
  override readonly name = 'FailureShown';
}

interface CommandSpec<Specs extends Options, Value> {
  readonly name: string;
  readonly description: string;
  readonly argument?: ArgumentSpec<Value>;
  /** By their names: `allStores` is `--all-stores`. */
  readonly options?: Specs;
  /** The text after the options in `--help`. */
  readonly help?: string;
  run(context: CommandContext, options: Values<Specs>, argument: Value): Promise<Output>;
}

/** Adds a command, or a group of commands, to its parent. */
type AddCommand = (parent: Command, context: CommandContext) => void;

/** A command that runs `run` and prints its output; every one has the option `--json`. */
export function command<Value, const Specs extends Options = Readonly<Record<never, never>>>(
  spec: CommandSpec<Specs, Value>,
): AddCommand {
  return (parent, context) => {
    const added = parent.command(spec.name).description(spec.description);
    if (spec.argument) added.addArgument(argumentOf(spec.argument));
    for (const [name, option] of Object.entries(spec.options ?? {})) {
      added.addOption(optionOf(name, option));
      if (option.isSecret) added.addOption(fileOf(name));
    }
    added.option('--json', 'print one JSON document');
    if (spec.help) added.addHelpText('after', spec.help);
    added.action(async () => {
      await readSecrets(added, spec.options ?? {}, context);
      const options = added.opts<Values<Specs>>();
      const asked = { ...context, yes: added.getOptionValue('yes') === true, json: options.json === true };
      const { json, text, isFailure } = await spec.run(asked, options, added.processedArgs[0]);
      context.print(options.json ? JSON.stringify(json) : plain(text));
      if (isFailure) throw new FailureShown();
    });
  };
}

export function group(name: string, description: string, commands: readonly AddCommand[]): AddCommand {
  return (parent, context) => {
    const added = parent.command(name).description(description);
    for (const add of commands) add(added, context);
  };
}

function argumentOf({ name, description, kind }: ArgumentSpec<unknown>): Argument {
  const argument = new Argument(name, description);
  return kind ? argument.argParser((text) => read(kind, text)) : argument;
}

/** Where a secret is that is no argument. */
function fileOf(name: string): Option {
  const description = `a file whose first line is --${name}; - is standard input`;
  return new Option(`--${name}-file <file>`, description).conflicts(name);
}

/** Replaces the options that name files of secrets by the secrets themselves. Throws ConfigurationError. */
async function readSecrets(
  added: Command,
  options: Options,
  { folder, input }: CommandContext,
): Promise<void> {
  for (const [name, { isSecret, kind = someText }] of Object.entries(options)) {
    const file: unknown = isSecret && added.getOptionValue(`${name}File`);
    if (typeof file !== 'string') continue;
    const setting = `--${name}-file`;
    const opened =
      file === '-' ? input : Readable.from([await readNamedFile(setting, resolve(folder, file))]);
    const value = kind.parse(await firstLineOf(opened));
    if (value === undefined)
      throw new ConfigurationError(setting, file, `${kind.expected} in the first line`);
    added.setOptionValue(name, value).setOptionValue(`${name}File`, undefined);
  }
}

function optionOf(name: string, spec: OptionSpec<unknown>): Option {
  const { value, description, kind, required = false, fallback } = spec;
  const flag = `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  const shown = required ? `${description} (required)` : description;
  const option = new Option(value ? `${flag} ${value}` : flag, shown).makeOptionMandatory(required);
  if (kind) option.argParser((text) => read(kind, text));
  return fallback === undefined ? option : option.default(kind ? read(kind, fallback) : fallback, fallback);
}

function read<Value>({ expected, parse }: Kind<Value>, text: string): Value {
  const value = parse(text);
  if (value === undefined) throw new InvalidArgumentError(`Expected ${expected}.`);
  return value;
}

/** An option without a value. */
export function flag(description: string): OptionSpec<true> {
  return { description };
}

/** An empty text is refused: an empty shell variable produces one. */
export const someText = textLike('a text', (text) => text.trim() !== '');

/** An option whose value is any text but an empty one. */
export function textOption(value: string, description: string): OptionSpec<string> {
  return { value, description, kind: someText };
}

export function required<Value>(spec: OptionSpec<Value>) {
  return { ...spec, required: true } as const;
}
