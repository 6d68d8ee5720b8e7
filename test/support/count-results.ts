import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

/**
 * Adds up what the steps of `.ci/run` left in a folder. Prints a line for each failure, with its name and the first line
 * of its error, and then `N passed, N failed`; its exit code is 1 on any failure.
 *
 * `steps.tsv` has a line for each step: its exit code, what it counts as, the file of its output, its name. A step counts
 * as the tests in the JSON report of vitest with that name, as `one` test, or as `nothing` unless it fails.
 */
const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('usage: count-results <folder with steps.tsv>');

const results = read('steps.tsv').trimEnd().split('\n').map(resultOfStep);
const failures = results.flatMap((result) => result.failures);
const passed = results.reduce((sum, result) => sum + result.passed, 0);

for (const { name, error } of failures) console.log(`failed: ${name}: ${error}`);
console.log(`${passed} passed, ${failures.length} failed`);
if (failures.length > 0 || passed === 0) process.exitCode = 1;

interface Failure {
  readonly name: string;
  /** One line. */
  readonly error: string;
}

interface Result {
  readonly passed: number;
  readonly failures: readonly Failure[];
}

interface Report {
  readonly numPassedTests: number;
  readonly testResults: readonly TestFile[];
}

interface TestFile {
  readonly name: string;
  readonly status: string;
  readonly message: string;
  readonly assertionResults: readonly Test[];
}

interface Test {
  readonly ancestorTitles: readonly string[];
  readonly title: string;
  readonly status: string;
  readonly failureMessages: readonly string[];
}

function read(file: string): string {
  return readFileSync(join(folder ?? '', file), 'utf8');
}

function resultOfStep(line: string): Result {
  const [code, countsAs = '', output = '', name = ''] = line.split('\t');
  const isPassed = code === '0';
  const failed = (): Failure[] => [{ name, error: firstErrorIn(read(output)) }];
  if (countsAs === 'nothing') return { passed: 0, failures: isPassed ? [] : failed() };
  if (countsAs === 'one') return isPassed ? { passed: 1, failures: [] } : { passed: 0, failures: failed() };
  if (!existsSync(join(folder ?? '', `${countsAs}.json`))) return { passed: 0, failures: failed() };
  const report: Report = JSON.parse(read(`${countsAs}.json`));
  const failures = report.testResults.flatMap(failuresOfFile);
  /* For example an exception that no test caught. */
  const isUnexplained = !isPassed && failures.length === 0;
  return { passed: report.numPassedTests, failures: isUnexplained ? failed() : failures };
}

/** Its failed tests; or the file itself if it failed outside of its tests. */
function failuresOfFile({ name, status, message, assertionResults }: TestFile): Failure[] {
  const file = relative(process.cwd(), name);
  const failed = assertionResults.filter((result) => result.status === 'failed');
  if (failed.length === 0) return status === 'failed' ? [{ name: file, error: firstLine(message) }] : [];
  return failed.map(({ ancestorTitles, title, failureMessages }) => ({
    name: [file, ...ancestorTitles, title].join(' > '),
    error: firstLine(failureMessages[0] ?? 'no message'),
  }));
}

/** The first line of an output that begins as an error, or mentions one; else the last line that the program itself printed. */
function firstErrorIn(output: string): string {
  const lines = stripVTControlCharacters(output)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^(\{|✓|\$ |npm |\[ELIFECYCLE\])/.test(line));
  const error =
    lines.find((line) => /^\w*(Error|Exception)\b/.test(line)) ??
    lines.find((line) => /\berror\b/i.test(line));
  return firstLine(error ?? lines.at(-1) ?? '');
}

function firstLine(text: string): string {
  const [line = ''] = stripVTControlCharacters(text).trim().split('\n');
  return line.trim().slice(0, 300) || 'no message';
}
