import { defineConfig } from 'vitest/config';
import { deps, patience, reporters } from './vitest.config.ts';

const files = 'test/external/**/*.test.ts';
const pages = ['test/external/page/**/*.test.ts'];

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
    /* Clusters wait most of the time, and browsers compute. */
    maxWorkers: 3,
    reporters: reporters('external'),
    projects: [
      { test: { name: 'external', ...common, include: [files], exclude: pages } },
      { test: { name: 'page', ...common, include: pages } },
    ],
  },
});
