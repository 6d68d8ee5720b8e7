import { defineConfig } from 'vitest/config';

const needDatabase = ['database', 'gateway', 'api', 'admin', 'demo'];

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['packages/*/src/**/*.test.ts'],
          exclude: needDatabase.map((name) => `packages/${name}/**`),
        },
      },
      {
        test: {
          name: 'database',
          include: needDatabase.map((name) => `packages/${name}/src/**/*.test.ts`),
          globalSetup: 'test/support/database-server.ts',
        },
      },
      {
        test: {
          name: 'chain',
          include: ['test/**/*.test.ts'],
          globalSetup: 'test/support/database-server.ts',
          testTimeout: 120_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
