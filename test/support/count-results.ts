import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Adds up the JSON reports of vitest in a folder and prints `N passed, N failed`; fails on any failure. */
const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('usage: count-results <folder with JSON reports>');

const reports = readdirSync(folder)
  .filter((name) => name.endsWith('.json'))
  .map((name): Report => JSON.parse(readFileSync(join(folder, name), 'utf8')));
const passed = sum(reports, 'numPassedTests');
const brokenFiles = reports.flatMap(({ testResults }) =>
  testResults.filter(({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0),
);
const failed = sum(reports, 'numFailedTests') + brokenFiles.length;

console.log(`${passed} passed, ${failed} failed`);
if (failed > 0 || passed === 0 || reports.length < 2) process.exitCode = 1;

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly { status: string; assertionResults: readonly unknown[] }[];
}

function sum(reports: readonly Report[], field: 'numPassedTests' | 'numFailedTests'): number {
  return reports.reduce((total, report) => total + report[field], 0);
}
