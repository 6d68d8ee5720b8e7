import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { problemTable } from './problem-table.ts';

test('documents every error code for integrators', async () => {
  const text = await readFile(new URL('../../../../docs/integrators.md', import.meta.url), 'utf8');
  expect(Object.keys(problemTable).filter((code) => !text.includes(`\`${code}\``))).toEqual([]);
});
