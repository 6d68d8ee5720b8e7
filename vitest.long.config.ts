import { defineConfig } from 'vitest/config';
import { campaigns, deps, reporters } from './vitest.config.ts';

/** Short campaigns against the whole product: faults, attacks and series of kills. A few minutes. */
export default defineConfig({
  test: {
    name: 'long',
    dangerouslyIgnoreUnhandledErrors: false,
    deps,
    include: [campaigns],
    globalSetup: ['test/support/database-server.ts'],
    testTimeout: 300_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    reporters: reporters('long'),
  },
});
