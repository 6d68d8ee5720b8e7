import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { deps, patience, reporters } from './vitest.config.ts';

/** Clients of other languages and other makes, and what other programs read of our files. CI runs these. */
const clients = 'test/external/{curl-lines,examples,other-makes,soap-clients,spreadsheet}.test.ts';
/** The page in Chromium. CI runs these. */
const page = 'test/external/page/**/*.test.ts';
/** Those that run in a browser by name; the others need Chromium. */
const firefox =
  'test/external/page/{audit,correction,page,reports,settings,store,store-numbers,stores,wall}.test.ts';
/** Clusters elect another primary when they get no processor time, so they run alone. */
const clusters = 'test/external/high-availability/**/*.test.ts';

const common = {
  deps,
  globalSetup: [
    'test/external/programs.ts',
    'test/external/built-page.ts',
    'test/programs/bundled-programs.ts',
    'test/support/database-server.ts',
  ],
  ...patience(600),
};

export default defineConfig({
  test: {
    dangerouslyIgnoreUnhandledErrors: false,
    /* Browsers compute, and what is installed waits. */
    maxWorkers: 1 + availableParallelism(),
    reporters: reporters('external'),
    projects: [
      { test: { name: 'clients', ...common, include: [clients] } },
      { test: { name: 'page', ...common, include: [page] } },
      { test: { name: 'firefox', ...common, include: [firefox], env: { BROWSER: 'firefox' } } },
      {
        test: {
          ...{ name: 'packages', ...common },
          include: ['test/external/**/*.test.ts'],
          exclude: [clients, page, clusters],
        },
      },
      {
        test: {
          ...{ name: 'clusters', ...common, include: [clusters] },
          ...{ fileParallelism: false, sequence: { groupOrder: 1 } },
        },
      },
    ],
  },
});
