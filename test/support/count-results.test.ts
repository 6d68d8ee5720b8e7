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
  return counted(folder);
}

function counted(folder: string): Promise<{ code: number; lines: string[] }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [program, folder], (error, printed) =>
      resolve({ code: error ? Number(error.code) : 0, lines: printed.trimEnd().split('\n') }),
    );
  });
}

/** Runs vitest in these test files, and counts the results. */
async function runAndCount(files: Readonly<Record<string, string>>) {
  const folder = await temporaryFolder();
  const config = `export default { test: { globals: true, include: ['*.test.js'], reporters: [
    'default', ['json', { outputFile: process.env.TEST_RESULTS + '/test.json' }]] } }`;
  await Promise.all(
    Object.entries({ ...files, 'vitest.config.mjs': config }).map(([name, content]) =>
      writeFile(join(folder, name), content),
    ),
  );
  const vitest = join(import.meta.dirname, '../../node_modules/vitest/vitest.mjs');
  const args = [vitest, 'run', '--root', folder];
  const env = { ...process.env, TEST_RESULTS: folder };
  const code = await new Promise<number>((resolve) => {
    execFile(process.execPath, args, { env }, async (error, printed) => {
      await writeFile(join(folder, '1.log'), printed);
      resolve(error ? Number(error.code) : 0);
    });
  });
  const command = [process.execPath, ...args].join(' ');
  await writeFile(join(folder, 'steps.tsv'), `${code}\ttest\t1.log\t${command}\n`);
  return counted(folder);
}

/** A test file whose tests pass from the second run on, as the file `ran` next to it shows. */
function failsOnce(file: string): string {
  return `import { existsSync, writeFileSync } from 'node:fs';
    test('passes always', () => {});
    test('passes at times', () => {
      const ran = new URL('${file}.ran', import.meta.url);
      if (!existsSync(ran)) { writeFileSync(ran, ''); throw new Error('the first time'); }
    });`;
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
    lines: ['0 unstable files', '4 passed, 0 failed'],
  });
});

test('names each failed test and file before the count, with the first line of its error', async () => {
  const red = '\u001b[31mAssertionError\u001b[39m: expected 1 to be 2\n    at a.test.ts:3';
  const test = report(
    { name: 'a.test.ts', status: 'failed', tests: { one: undefined, two: red } },
    { name: 'b.test.ts', status: 'failed', message: 'Hook timed out in 60000ms.\nmore' },
    { name: 'c.test.ts', status: 'failed', message: 'afterAll failed', tests: { three: undefined } },
  );

  expect(
    await countResults({ 'steps.tsv': '1\ttest\t1.log\tfalse\n', '1.log': '', 'test.json': test }),
  ).toEqual({
    code: 1,
    lines: [
      'failed: a.test.ts > group > two: AssertionError: expected 1 to be 2',
      'failed: b.test.ts: Hook timed out in 60000ms.',
      'failed: c.test.ts: afterAll failed',
      '0 unstable files',
      '2 passed, 3 failed',
    ],
  });
});

test('reports a file that passes when it is run alone as unstable, with both outputs', async () => {
  const { code, lines } = await runAndCount({ 'a.test.js': failsOnce('a') });
  expect(lines.find((line) => line.startsWith('unstable: '))).toMatch(/a\.test\.js$/);
  expect(lines).toContainEqual(expect.stringContaining('passes at times: Error: the first time'));
  expect(lines).toContainEqual(expect.stringMatching(/Tests .*2 passed/));
  expect({ code, end: lines.slice(-2) }).toEqual({
    code: 0,
    end: ['1 unstable files', '2 passed, 0 failed'],
  });
});
