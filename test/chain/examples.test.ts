import { expect, test } from 'vitest';
import { exampleFile, examplePrints, runExample } from '../support/run-example.ts';
import { servedCompany } from '../support/served-company.ts';

test('the TypeScript example prints numbers, and the code of an error', async () => {
  const company = await servedCompany();
  const example = [process.execPath, exampleFile('counts.ts')];
  expect(await runExample(example, company)).toBe(examplePrints);
  await expect(runExample(example, company, 'wrong')).rejects.toThrow(/invalid_credential: /);
});

test('the curl example prints records and a table, and ends with an error where there is one', async () => {
  const company = await servedCompany();
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
