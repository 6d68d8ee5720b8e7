import type { ValueProblem } from '@visitor-counter/domain/read-value';

/** The longest part of a value that a message repeats, in characters. */
const maxShown = 80;

/** The path of the whole content of a file. */
const whole = 'document';

/** The file cannot be applied. The message has a line for each problem: file, path, value, expected. */
export class InvalidFileError extends Error {
  override readonly name = 'InvalidFileError';

  constructor(file: string, problems: readonly ValueProblem[]) {
    const lines = problems.map((problem) => `${file}: ${problem.path || whole} ${problemText(problem)}`);
    super([...lines, 'Nothing was applied.'].join('\n'));
  }
}

function problemText(problem: ValueProblem): string {
  if (problem.known) return `is not known: expected nothing but ${problem.known.join(', ')}`;
  return `${foundText(problem.path, problem.value)}: expected ${problem.expected}`;
}

/** Secrets are never repeated. */
function foundText(path: string, value: unknown): string {
  if (value === undefined) return 'is missing';
  if (value instanceof Error) return `cannot be read: ${value.message.trim()}`;
  if (/(^|\.)(secret|value)$/.test(path))
    return typeof value === 'string' ? `has ${[...value].length} characters (not shown)` : 'is not text';
  const text = JSON.stringify(value) ?? String(value);
  return `is ${text.length > maxShown ? `${text.slice(0, maxShown)}…` : text}`;
}
