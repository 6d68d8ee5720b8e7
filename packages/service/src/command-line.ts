import { fileVariable, type Setting, type SettingsGroup } from './settings/setting.ts';

/** The answer of a program to its arguments, which it prints instead of running. */
export interface Answer {
  readonly text: string;
  readonly exitCode: 0 | 2;
}

/** The help if it is requested, an error for any other argument; undefined without arguments. */
export function answerArguments(args: readonly string[], help: string): Answer | undefined {
  const [unknown] = args.filter((arg) => arg !== '--help' && arg !== '-h');
  if (unknown !== undefined) {
    const text = `unknown argument ${JSON.stringify(unknown)}: expected none, or --help, which lists the settings`;
    return { text, exitCode: 2 };
  }
  return args.length > 0 ? { text: help.trimEnd(), exitCode: 0 } : undefined;
}

/** Prints the answer and sets the exit code. */
export function printAnswer({ text, exitCode }: Answer): void {
  if (exitCode === 0) console.log(text);
  else console.error(text);
  process.exitCode = exitCode;
}

/** The longest line of a help text (characters). */
const lineLength = 118;

/** The lines of `--help` for settings: their names, their meanings, and their defaults in parentheses. */
export function helpOfSettings(groups: readonly SettingsGroup[]): string {
  const names = groups.flatMap(({ settings }) => Object.keys(settings));
  return groups
    .map(({ title, settings }) => {
      const rows = Object.entries(settings).map(([name, setting]) => {
        const alternative = setting.isSecret ? ` Or ${fileVariable(name)}, a file that contains it.` : '';
        return [
          name,
          `${plain(setting.does)}${alternative} (default: ${plain(defaultOf(setting))})`,
        ] as const;
      });
      return `${title}:\n${helpRows(rows, names)}\n`;
    })
    .join('\n');
}

/** Names with their meanings in a column that is wide enough for all `names`. */
export function helpRows(
  rows: readonly (readonly [name: string, meaning: string])[],
  names: readonly string[] = rows.map(([name]) => name),
): string {
  const column = Math.max(...names.map((name) => name.length)) + 4;
  const indent = `\n${' '.repeat(column)}`;
  return rows
    .map(([name, text]) => `  ${name}`.padEnd(column) + wrap(text, lineLength - column).join(indent))
    .join('\n');
}

function defaultOf(setting: Setting): string {
  return setting.otherwise ?? setting.default ?? 'none';
}

/** Markdown as plain text: links by their words, no references to other pages, and no marks of code. */
function plain(markdown: string): string {
  return markdown
    .replaceAll(/ See \[[^\]]*\]\([^)]*\)\./g, '')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll('`', '');
}

function wrap(text: string, width: number): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line === '') lines[lines.length - 1] = word;
    else if (line.length + 1 + word.length <= width) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}
