import { defineConfig } from 'vitest/config';
import { deps, patience, reporters } from './vitest.config.ts';

/** The counter unit as a whole: what it takes of its machine, and emulated units. Takes half an hour. */
export default defineConfig({
  test: {
    name: 'device',
    dangerouslyIgnoreUnhandledErrors: false,
    deps,
    include: ['test/device/**/*.test.ts'],
    globalSetup: ['test/support/database-server.ts'],
    ...patience(600),
    fileParallelism: false,
    reporters: reporters('device'),
  },
});
