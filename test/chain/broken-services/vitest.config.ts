import { defineConfig } from 'vitest/config';
import root, { patience } from '../../../vitest.config.ts';

/** The configuration of the nested test run: the root's settings with another file pattern. */
const { projects: _, ...test } = root.test ?? {};

export default defineConfig({
  test: {
    ...test,
    ...patience(120),
    reporters: ['default'],
    root: import.meta.dirname,
    include: ['*.fixture.ts'],
  },
});
