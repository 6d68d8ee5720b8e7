/** What a program that is configured by its environment prints for its arguments instead of running. */
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
export function tell({ text, exitCode }: Answer): void {
  if (exitCode === 0) console.log(text);
  else console.error(text);
  process.exitCode = exitCode;
}
