import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** Default imports are what Node gives, which runs the product without a bundler. */
export const deps = { interopDefault: false };

const needDatabase = ['database', 'gateway', 'api', 'alerts', 'server', 'admin', 'demo'];

/** What `npx pnpm test:long` runs instead of `npx pnpm test`. */
export const campaigns = 'test/**/*.campaign.test.ts';

/** Where CI wants the results to count them; people read the default report. */
export function reporters(name: string): ('default' | ['json', { outputFile: string }])[] {
  const folder = process.env['TEST_RESULTS'];
  return folder ? ['default', ['json', { outputFile: `${folder}/${name}.json` }]] : ['default'];
}

/**
 * How long a test may take, and a condition that it waits for (`expect.poll`), which is looked at again after `interval` ms.
 * The condition takes less, so that it is what is reported. A busy machine is no failure; what has to be fast is asserted
 * where it matters.
 */
export function patience(seconds: number, interval = 50) {
  return {
    testTimeout: seconds * 1_000,
    hookTimeout: seconds * 1_000,
    teardownTimeout: seconds * 1_000,
    expect: { poll: { timeout: seconds * 400, interval } },
  };
}

/* Programs that tests start compile their sources once, not at each start. */
process.env['NODE_COMPILE_CACHE'] = join(import.meta.dirname, 'node_modules/.cache/compiled');

export default defineConfig({
  test: {
    /* Most tests wait for timers, processes and sockets most of the time. */
    maxWorkers: Math.min(12, 3 * availableParallelism()),
    /* An exception or rejection that nothing handles fails the run, in tests and in services alike. */
    dangerouslyIgnoreUnhandledErrors: false,
    reporters: reporters('test'),
    projects: [
      {
        test: {
          name: 'unit',
          deps,
          ...patience(600, 5),
          /* Files of one worker share their imports, which are a fifth of the time of a run otherwise. */
          isolate: false,
          include: [
            'packages/*/{src,test}/**/*.test.ts',
            'test/docs/*.test.ts',
            'test/support/*.test.ts',
            'bench/load/*.test.ts',
          ],
          exclude: [...needDatabase.map((name) => `packages/${name}/**`), 'packages/agent/**'],
        },
      },
      {
        test: {
          name: 'agent',
          deps,
          ...patience(600, 5),
          isolate: false,
          include: ['packages/agent/{src,test}/**/*.test.ts'],
          globalSetup: ['test/programs/bundled-programs.ts'],
        },
      },
      {
        test: {
          name: 'database',
          deps,
          isolate: false,
          include: needDatabase.map((name) => `packages/${name}/{src,test}/**/*.test.ts`),
          globalSetup: ['test/programs/bundled-programs.ts', 'test/support/database-server.ts'],
          ...patience(600, 20),
        },
      },
      {
        test: {
          name: 'chain',
          deps,
          isolate: false,
          include: ['test/{chain,start,faults,attack,clients}/**/*.test.ts'],
          exclude: [campaigns],
          globalSetup: ['test/programs/bundled-programs.ts', 'test/support/database-server.ts'],
          ...patience(600, 20),
        },
      },
    ],
  },
});
