import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import { bundlePage } from './bundle-server.ts';

const checkout = dirname(fileURLToPath(new URL('../../../../package.json', import.meta.url)));

test('builds the same page for every NODE_ENV, without paths of its sources', async () => {
  onTestFinished(() => void vi.unstubAllEnvs());
  const pages = [];
  for (const mode of ['production', 'development']) {
    vi.stubEnv('NODE_ENV', mode);
    pages.push(await bundlePage());
  }
  expect(pages[1]).toEqual(pages[0]);
  const containing = pages.flat().filter(({ content = '' }) => content.includes(checkout));
  expect(containing.map(({ path }) => path)).toEqual([]);
}, 60_000);
