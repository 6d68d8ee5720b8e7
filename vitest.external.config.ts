import { defineConfig } from 'vitest/config';
import { deps, patience, reporters } from './vitest.config.ts';

const files = 'test/external/**/*.test.ts';
const pages = ['test/external/page/**/*.test.ts'];

const common = {
  deps,
  globalSetup: ['test/external/programs.ts', 'test/support/database-server.ts'],
  ...patience(180),
};

export default defineConfig({
  test: {
    dangerouslyIgnoreUnhandledErrors: false,
    reporters: reporters('external'),
    projects: [
      {
        test: {
          name: 'external',
          ...common,
          include: [files],
          exclude: pages,
          fileParallelism: false,
          sequence: { groupOrder: 0 },
        },
      },
      /* The tests of the page wait most of the time. */
      {
        test: { name: 'page', ...common, include: pages, maxWorkers: 2, sequence: { groupOrder: 1 } },
      },
    ],
  },
});
