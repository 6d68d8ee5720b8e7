import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { exampleFile, examplePrints, runExample } from '../support/run-example.ts';
import { servedCompany } from '../support/served-company.ts';

const examples: [language: string, make: () => Promise<readonly string[]>][] = [
  ['Python', async () => ['/usr/bin/python3', exampleFile('counts.py')]],
  ['PHP', async () => ['php', exampleFile('counts.php')]],
  ['C#', compiled],
];

test.each(examples)('the %s example prints numbers, and the code of an error', async (_, make) => {
  const company = await servedCompany();
  const example = await make();
  expect(await runExample(example, company)).toBe(examplePrints);
  await expect(runExample(example, company, 'wrong')).rejects.toThrow(/invalid_credential: /);
});

async function compiled(): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'visitor-counter-example-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const program = join(folder, 'Counts.exe');
  const libraries = ['-r:System.Net.Http', '-r:System.Xml.Linq'];
  await promisify(execFile)('mcs', ['-nologo', ...libraries, `-out:${program}`, exampleFile('Counts.cs')]);
  return ['mono', program];
}
