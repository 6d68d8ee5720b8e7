import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

/**
 * Adds up what the steps of `.ci/run` left in a folder. Each test file that failed is run once more, alone: if it passes, it
 * is unstable. Prints both outputs of each unstable file, a line for each failure, with its name and the first line of its
 * error, the number of unstable files, and then `N passed, N failed`; its exit code is 1 on any failure.
 *
 * `steps.tsv` has a line for each step: its exit code, what it counts as, the file of its output, its command. A step counts
 * as the tests in the JSON report of vitest with that name, as `one` test, or as `nothing` unless it fails.
 */
const [folder = ''] = process.argv.slice(2);
if (folder === '') throw new Error('usage: count-results <folder with steps.tsv>');

/** More unstable files than these fail the run. */
const mostUnstable = 2;

const failures: Failure[] = [];
const unstable: Unstable[] = [];
const passed = read('steps.tsv')
  .trimEnd()
  .split('\n')
  .reduce((sum, line) => sum + passedInStep(line), 0);
if (unstable.length > mostUnstable)
  failures.push({ name: 'unstable files', error: `more than ${mostUnstable}` });

for (const { name, first, second } of unstable) {
  console.log(`unstable: ${name}\n--- first run\n${first}\n--- alone\n${second}\n---`);
}
for (const { name, error } of failures) console.log(`failed: ${name}: ${error}`);
console.log(`${unstable.length} unstable files`);
console.log(`${passed} passed, ${failures.length} failed`);
if (failures.length > 0 || passed === 0) process.exitCode = 1;

interface Failure {
  readonly name: string;
  /** One line. */
  readonly error: string;
}

/** A test file that failed, and passed when it was run once more. */
interface Unstable {
  readonly name: string;
  /** The errors of its first run. */
  readonly first: string;
  /** The whole output of its second run. */
  readonly second: string;
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
  return readFileSync(join(folder, file), 'utf8');
}

/** The number of its tests that passed. Adds what failed to the lists. */
function passedInStep(line: string): number {
  const [code, countsAs = '', output = '', command = ''] = line.split('\t');
  const isPassed = code === '0';
  if (isPassed && countsAs === 'nothing') return 0;
  if (isPassed && countsAs === 'one') return 1;
  const failed = () => failures.push({ name: command, error: firstErrorIn(read(output)) });
  if (!existsSync(join(folder, `${countsAs}.json`))) {
    failed();
    return 0;
  }
  const report: Report = JSON.parse(read(`${countsAs}.json`));
  const files = report.testResults.filter((file) => failuresOfFile(file).length > 0);
  const isUnexplained = files.length === 0 || /caught \d+ unhandled error/.test(read(output));
  if (!isPassed && isUnexplained) failed();
  return files.reduce((sum, file) => sum + passedAgain(file, command), report.numPassedTests);
}

/** The number of further tests that pass if the file is run alone. It is not, if the run has failed anyway. */
function passedAgain(file: TestFile, command: string): number {
  const again = failures.length === 0 && unstable.length <= mostUnstable && runAlone(file, command);
  if (!again) {
    failures.push(...failuresOfFile(file));
    return 0;
  }
  unstable.push({ name: relative(process.cwd(), file.name), first: errorsOf(file), second: again.output });
  return again.passed - file.assertionResults.filter(({ status }) => status === 'passed').length;
}

/**
 * Runs a test file with the command of its step, for at most ten minutes. Undefined if it fails. A process that a test leaves
 * behind keeps its output open, so that is a file, whose end nothing awaits.
 */
function runAlone({ name }: TestFile, command: string): { passed: number; output: string } | undefined {
  const results = join(folder, 'alone');
  const { status } = spawnSync(
    'sh',
    ['-c', `exec timeout --kill-after 30s 10m ${command} "$1" >"$2" 2>&1`, '', name, `${results}.log`],
    { env: { ...process.env, TEST_RESULTS: results }, stdio: 'ignore' },
  );
  if (status !== 0) return undefined;
  const [report = ''] = readdirSync(results);
  const { numPassedTests }: Report = JSON.parse(read(join('alone', report)));
  rmSync(results, { recursive: true });
  return { passed: numPassedTests, output: stripVTControlCharacters(read('alone.log')).trim() };
}

function errorsOf({ message, assertionResults }: TestFile): string {
  const errors = assertionResults.flatMap(({ title, failureMessages }) =>
    failureMessages.map((error) => `${title}: ${error}`),
  );
  return stripVTControlCharacters([message, ...errors].join('\n')).trim();
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
