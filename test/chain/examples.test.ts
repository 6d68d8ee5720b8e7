import { expect, test } from 'vitest';
import { exampleFile, examplePrints, runExample } from '../support/run-example.ts';
import { servedCompany } from '../support/served-company.ts';

test('the TypeScript example prints numbers, and the code of an error', async () => {
  const company = await servedCompany();
  const example = [process.execPath, exampleFile('counts.ts')];
  expect(await runExample(example, company)).toBe(examplePrints);
  await expect(runExample(example, company, 'wrong')).rejects.toThrow(/invalid_credential: /);
});
