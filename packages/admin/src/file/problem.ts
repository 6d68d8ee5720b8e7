/** A problem in a file: where, what was found there, what was expected. */
export interface Problem {
  /** The path in the document, such as `companies[0].stores[1].timeZone`. */
  readonly path: string;
  readonly found: string;
  readonly expected: string;
}

/** The longest part of a value that a message repeats, in characters. */
const maxShown = 80;

/** A value that cannot be used. Secrets are never repeated. */
export function wrongValue(path: string, value: unknown, expected: string): Problem {
  if (/\.(secret|value)$/.test(path)) return { path, found: describeSecret(value), expected };
  const text = JSON.stringify(value) ?? String(value);
  const shown = text.length > maxShown ? `${text.slice(0, maxShown)}…` : text;
  return { path, found: `is ${shown}`, expected };
}

function describeSecret(value: unknown): string {
  return typeof value === 'string' ? `has ${[...value].length} characters (not shown)` : 'is not text';
}

export function missingValue(path: string, expected: string): Problem {
  return { path, found: 'is missing', expected };
}

/** The file cannot be applied. The message has a line for each problem: file, path, value, expected. */
export class InvalidFileError extends Error {
  override readonly name = 'InvalidFileError';
  readonly code = 'invalid-file';
  readonly problems: readonly Problem[];

  constructor(file: string, problems: readonly Problem[]) {
    const lines = problems.map(
      ({ path, found, expected }) => `${file}: ${path} ${found}: expected ${expected}`,
    );
    super([...lines, 'Nothing was applied.'].join('\n'));
    this.problems = problems;
  }
}
