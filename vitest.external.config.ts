import { defineConfig } from 'vitest/config';
import { deps, patience, reporters } from './vitest.config.ts';

export default defineConfig({
  test: {
    name: 'external',
    dangerouslyIgnoreUnhandledErrors: false,
    deps,
    include: ['test/external/**/*.test.ts'],
    globalSetup: ['test/external/programs.ts', 'test/support/database-server.ts'],
    ...patience(180),
    fileParallelism: false,
    reporters: reporters('external'),
  },
});
