import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { exampleFile, examplePrints, runExample } from '@visitor-counter/test/run-example';
import { servedCompany } from '@visitor-counter/test/served-company';
import { startedOnce } from '@visitor-counter/test/started-once';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { expect, test } from 'vitest';

const served = startedOnce(servedCompany);

const examples: [language: string, make: () => Promise<readonly string[]>][] = [
  ['Python', async () => ['/usr/bin/python3', exampleFile('counts.py')]],
  ['PHP', async () => ['php', exampleFile('counts.php')]],
  ['C#', compiled],
];

test.each(examples)('the %s example prints numbers, and the code of an error', async (_, make) => {
  const company = served();
  const example = await make();
  expect(await runExample(example, company)).toBe(examplePrints);
  await expect(runExample(example, company, 'wrong')).rejects.toThrow(/invalid_credential: /);
});

test('the curl example prints records and a table, and fails if a request fails', async () => {
  const company = served();
  const example = ['sh', exampleFile('counts.sh')];
  const printed = await runExample(example, company);
  expect(printed).toMatch(/^\[\{"DateTime":"[^"]+","StoreName":.+,"Amount":0\}\]\n/);
  expect(printed).toContain('\nDateTime,StoreName,Amount\r\n2025-11-20T10:15:30.123+01:00,');
  expect(printed).toMatch(/\[\{"Id":2,"SerialNumber":"CU-0002",.*\}\]\n$/);
  await expect(runExample(example, company, 'wrong')).rejects.toMatchObject({
    code: 22,
    stdout: expect.stringContaining('"code":"invalid_credential"'),
  });
});

async function compiled(): Promise<readonly string[]> {
  const folder = await temporaryFolder();
  const program = join(folder, 'Counts.exe');
  const libraries = ['-r:System.Net.Http', '-r:System.Xml.Linq'];
  await promisify(execFile)('mcs', ['-nologo', ...libraries, `-out:${program}`, exampleFile('Counts.cs')]);
  return ['mono', program];
}
