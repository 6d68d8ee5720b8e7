import { defineConfig } from 'vitest/config';
import root from '../../../vitest.config.ts';

/** The configuration of the nested test run: the root's settings with another file pattern. */
const { projects: _, ...test } = root.test ?? {};

export default defineConfig({
  test: { ...test, root: import.meta.dirname, include: ['*.fixture.ts'], reporters: ['default'] },
});
