import { defineConfig } from 'vitest/config';
import { deps, reporters } from './vitest.config.ts';

export default defineConfig({
  test: {
    name: 'external',
    dangerouslyIgnoreUnhandledErrors: false,
    deps,
    include: ['test/external/**/*.test.ts'],
    globalSetup: ['test/external/programs.ts', 'test/support/database-server.ts'],
    testTimeout: 180_000,
    hookTimeout: 120_000,
    fileParallelism: false,
    reporters: reporters('external'),
  },
});
