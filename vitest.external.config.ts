import { defineConfig } from 'vitest/config';
import { deps, patience, reporters } from './vitest.config.ts';

const files = 'test/external/**/*.test.ts';
const pages = ['test/external/page/**/*.test.ts'];
/** Clusters elect another primary when they get no processor time, so they run alone. */
const clusters = ['test/external/high-availability/**/*.test.ts'];

const common = {
  deps,
  globalSetup: [
    'test/external/programs.ts',
    'test/external/built-page.ts',
    'test/programs/bundled-programs.ts',
    'test/support/database-server.ts',
  ],
  ...patience(180),
};

export default defineConfig({
  test: {
    dangerouslyIgnoreUnhandledErrors: false,
    /* Installations wait most of the time, and browsers compute. */
    maxWorkers: 3,
    reporters: reporters('external'),
    projects: [
      { test: { name: 'external', ...common, include: [files], exclude: [...pages, ...clusters] } },
      { test: { name: 'page', ...common, include: pages } },
      {
        test: {
          ...{ name: 'cluster', ...common, include: clusters },
          ...{ fileParallelism: false, sequence: { groupOrder: 1 } },
        },
      },
    ],
  },
});
