import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from './temporary-folder.ts';

const program = join(import.meta.dirname, 'count-results.ts');

/** The output of the program, by line, and its exit code, for these files of a CI run. */
async function countResults(files: Readonly<Record<string, string>>) {
  const folder = await temporaryFolder();
  await Promise.all(Object.entries(files).map(([name, content]) => writeFile(join(folder, name), content)));
  return new Promise<{ code: number; lines: string[] }>((resolve) => {
    execFile(process.execPath, [program, folder], (error, printed) =>
      resolve({ code: error ? Number(error.code) : 0, lines: printed.trimEnd().split('\n') }),
    );
  });
}

interface TestFile {
  readonly name: string;
  readonly message?: string;
  readonly status?: 'failed' | 'passed';
  /** The error of each test, undefined if it passed. */
  readonly tests?: Readonly<Record<string, string | undefined>>;
}

/** A report as vitest writes it. */
function report(...files: TestFile[]): string {
  const testResults = files.map(({ name, message = '', status = 'passed', tests = {} }) => ({
    name: join(process.cwd(), name),
    message,
    status,
    assertionResults: Object.entries(tests).map(([title, error]) => ({
      ancestorTitles: ['group'],
      title,
      status: error === undefined ? 'passed' : 'failed',
      failureMessages: error === undefined ? [] : [error],
    })),
  }));
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  return JSON.stringify({
    numPassedTests: tests.filter(({ status }) => status === 'passed').length,
    testResults,
  });
}

test('adds up the tests of all reports, and counts a campaign as one', async () => {
  const steps = '0\ttest\t1.log\tnpx pnpm test\n0\tnothing\t2.log\ttypes\n0\tone\t3.log\tnpx pnpm faults\n';
  const test = report(
    { name: 'a.test.ts', tests: { one: undefined, two: undefined } },
    { name: 'b.test.ts', tests: { three: undefined } },
  );

  expect(await countResults({ 'steps.tsv': steps, 'test.json': test })).toEqual({
    code: 0,
    lines: ['4 passed, 0 failed'],
  });
});

test('names each failed test and file before the count, with the first line of its error', async () => {
  const red = '\u001b[31mAssertionError\u001b[39m: expected 1 to be 2\n    at a.test.ts:3';
  const test = report(
    { name: 'a.test.ts', status: 'failed', tests: { one: undefined, two: red } },
    { name: 'b.test.ts', status: 'failed', message: 'Hook timed out in 60000ms.\nmore' },
    { name: 'c.test.ts', status: 'failed', message: 'afterAll failed', tests: { three: undefined } },
  );

  expect(await countResults({ 'steps.tsv': '1\ttest\t1.log\tnpx pnpm test\n', 'test.json': test })).toEqual({
    code: 1,
    lines: [
      'failed: a.test.ts > group > two: AssertionError: expected 1 to be 2',
      'failed: b.test.ts: Hook timed out in 60000ms.',
      'failed: c.test.ts: afterAll failed',
      '2 passed, 3 failed',
    ],
  });
});

test('names each failed step that has no report or whose report has no failure', async () => {
  const files = {
    'steps.tsv': [
      '1\ttest\t1.log\tnpx pnpm test',
      '2\tnothing\t2.log\ttypes, lint, format',
      '1\tlong\t3.log\tnpx pnpm test:long',
      '0\texternal\t4.log\tnpx pnpm test:external',
      '1\tone\t5.log\tnpx pnpm faults\n',
    ].join('\n'),
    'test.json': report({ name: 'a.test.ts', tests: { one: undefined } }),
    '1.log': [
      '{"level":50,"error":"x"}',
      '  ✓ loses nothing after a read error 339ms',
      'Vitest caught 1 unhandled error during the test run.',
      '⎯⎯ Unhandled Rejection ⎯⎯',
      'Error: agent ended',
      'more',
    ].join('\n'),
    '2.log': "$ tsc --noEmit\na.ts(1,2): error TS2322: Type 'a'\nb.ts(1,2): error TS2322: Type 'b'\n",
    '3.log': '',
    '4.log': 'stopped\n',
    '5.log': 'a table\nfound something: repeat it\n[ELIFECYCLE] Command failed with exit code 1.\n',
  };

  expect(await countResults(files)).toEqual({
    code: 1,
    lines: [
      'failed: npx pnpm test: Error: agent ended',
      "failed: types, lint, format: a.ts(1,2): error TS2322: Type 'a'",
      'failed: npx pnpm test:long: no message',
      'failed: npx pnpm test:external: stopped',
      'failed: npx pnpm faults: found something: repeat it',
      '1 passed, 5 failed',
    ],
  });
});

test('fails when nothing was tested', async () => {
  expect(await countResults({ 'steps.tsv': '0\tnothing\t1.log\ttypes\n' })).toEqual({
    code: 1,
    lines: ['0 passed, 0 failed'],
  });
});
