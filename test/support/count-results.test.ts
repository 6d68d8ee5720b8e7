import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from './temporary-folder.ts';

const program = join(import.meta.dirname, 'count-results.ts');

type Files = Readonly<Record<string, string>>;

async function folderWith(files: Files): Promise<string> {
  const folder = await temporaryFolder();
  await Promise.all(Object.entries(files).map(([name, content]) => writeFile(join(folder, name), content)));
  return folder;
}

function node(args: readonly string[], env = process.env): Promise<{ code: number; printed: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, args, { env }, (error, printed) =>
      resolve({ code: error ? Number(error.code) : 0, printed }),
    );
  });
}

/** The output of the program, by line, and its exit code, for a folder with the files of a CI run. */
async function countResults(folder: string): Promise<{ code: number; lines: string[] }> {
  const { code, printed } = await node([program, folder]);
  return { code, lines: printed.trimEnd().split('\n') };
}

/** Runs vitest in these test files, and counts the results. */
async function runAndCount(files: Files) {
  const config = `export default { test: { globals: true, include: ['*.test.js'], reporters: [
    'default', ['json', { outputFile: process.env.TEST_RESULTS + '/test.json' }]] } }`;
  const folder = await folderWith({ ...files, 'vitest.config.mjs': config });
  const vitest = join(import.meta.dirname, '../../node_modules/vitest/vitest.mjs');
  const args = [vitest, 'run', '--root', folder];
  const { code, printed } = await node(args, { ...process.env, TEST_RESULTS: folder });
  await writeFile(join(folder, '1.log'), printed);
  const command = [process.execPath, ...args].join(' ');
  await writeFile(join(folder, 'steps.tsv'), `${code}\ttest\t1.log\t${command}\n`);
  return countResults(folder);
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

/** A test in a report of vitest, which passed unless it has an error. */
const result = (title: string, error?: string) => ({
  ancestorTitles: ['group'],
  title,
  status: error === undefined ? 'passed' : 'failed',
  failureMessages: error === undefined ? [] : [error],
});

/** A file in a report of vitest. */
const testFile = (name: string, message: string, ...assertionResults: readonly object[]) => ({
  name: join(process.cwd(), name),
  message,
  status: 'failed',
  assertionResults,
});

test('adds up the tests of all reports, and counts a campaign as one', async () => {
  const steps = '0\ttest\t1.log\tnpx pnpm test\n0\tnothing\t2.log\ttypes\n0\tone\t3.log\tnpx pnpm faults\n';
  const test = JSON.stringify({ numPassedTests: 3, testResults: [] });

  expect(await countResults(await folderWith({ 'steps.tsv': steps, 'test.json': test }))).toEqual({
    code: 0,
    lines: ['0 unstable files', '4 passed, 0 failed'],
  });
});

test('names each failed test and file before the count, with the first line of its error', async () => {
  const red = '\u001b[31mAssertionError\u001b[39m: expected 1 to be 2\n    at a.test.ts:3';
  const testResults = [
    testFile('a.test.ts', '', result('one'), result('two', red)),
    testFile('b.test.ts', 'Hook timed out in 60000ms.\nmore'),
    testFile('c.test.ts', 'afterAll failed', result('three')),
  ];
  const test = JSON.stringify({ numPassedTests: 2, testResults });
  const steps = '1\ttest\t1.log\tfalse\n';

  const folder = await folderWith({ 'steps.tsv': steps, '1.log': '', 'test.json': test });
  expect(await countResults(folder)).toEqual({
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
