import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { shippedPackages } from '../dependencies/shipped.ts';
import { bundle } from '../program/bundle.ts';

test('knows the licence of every package that has a module in a program', async () => {
  const programs = ['agent/main', 'server/main', 'admin/main'];
  const paths = programs.map((name) => fileURLToPath(import.meta.resolve(`@visitor-counter/${name}`)));
  const { modules } = await bundle(Object.fromEntries(paths.map((path, index) => [`program${index}`, path])));
  const bundled = modules.flatMap(
    (module) => /\.pnpm\/.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(module)?.[1] ?? [],
  );
  const known = new Set((await shippedPackages()).map(({ name }) => name));
  expect(new Set(bundled)).toContain('mqtt');
  expect(bundled.filter((name) => !known.has(name) && name !== 'rolldown')).toEqual([]);
});

test('has the licences of the works that the renderer of the reference page contains', async () => {
  const renderer = (await shippedPackages(['server'])).find(({ name }) => name === 'swagger-ui-dist');
  expect(renderer?.text).toContain('@license DOMPurify');
});
