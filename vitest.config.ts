import { defineConfig } from 'vitest/config';

/** Default imports are what Node gives, which runs the product without a bundler. */
export const deps = { interopDefault: false };

const needDatabase = ['database', 'gateway', 'api', 'alerts', 'admin', 'demo'];

/** Where CI wants the results to count them; people read the default report. */
export function reporters(name: string): ('default' | ['json', { outputFile: string }])[] {
  const folder = process.env['TEST_RESULTS'];
  return folder ? ['default', ['json', { outputFile: `${folder}/${name}.json` }]] : ['default'];
}

export default defineConfig({
  test: {
    /* An exception or rejection that nothing handles fails the run, in tests and in services alike. */
    dangerouslyIgnoreUnhandledErrors: false,
    reporters: reporters('test'),
    projects: [
      {
        test: {
          name: 'unit',
          deps,
          include: ['packages/*/src/**/*.test.ts', 'bench/{ingest,load,shared}/**/*.test.ts'],
          exclude: needDatabase.map((name) => `packages/${name}/**`),
        },
      },
      {
        test: {
          name: 'database',
          deps,
          include: needDatabase.map((name) => `packages/${name}/src/**/*.test.ts`),
          globalSetup: 'test/support/database-server.ts',
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'chain',
          deps,
          include: ['test/{chain,start,faults,attack,clients}/**/*.test.ts'],
          globalSetup: 'test/support/database-server.ts',
          testTimeout: 120_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
