import { exampleFile, examplePrints, runExample } from '@visitor-counter/test/run-example';
import { servedCompany } from '@visitor-counter/test/served-company';
import { expect, test } from 'vitest';

test('the TypeScript example prints numbers, and the code of an error', async () => {
  const company = await servedCompany();
  const example = [process.execPath, exampleFile('counts.ts')];
  expect(await runExample(example, company)).toBe(examplePrints);
  await expect(runExample(example, company, 'wrong')).rejects.toThrow(/invalid_credential: /);
});
