import { defineConfig } from 'vitest/config';
import root from '../../../vitest.config.ts';

/** The run that a test of the test run starts: the root's settings, but for what it looks for. */
const { projects: _, ...test } = root.test ?? {};

export default defineConfig({
  test: { ...test, root: import.meta.dirname, include: ['*.fixture.ts'], reporters: ['default'] },
});
