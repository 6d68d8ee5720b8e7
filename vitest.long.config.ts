import { defineConfig } from 'vitest/config';
import { campaigns, deps, patience, reporters } from './vitest.config.ts';

/** Short campaigns against the whole product: faults, attacks and series of kills. A few minutes. */
export default defineConfig({
  test: {
    name: 'long',
    dangerouslyIgnoreUnhandledErrors: false,
    deps,
    include: [campaigns],
    globalSetup: ['test/programs/bundled-programs.ts', 'test/support/database-server.ts'],
    ...patience(600),
    maxWorkers: 2,
    reporters: reporters('long'),
  },
});
