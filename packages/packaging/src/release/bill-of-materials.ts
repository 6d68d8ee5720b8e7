import { isPostgres, pnpmFor } from '../dependencies/shipped.ts';
import type { Commit } from '../program/commit.ts';
import { type Architecture, runtimes } from '../program/runtimes.ts';

/** The part of a document of CycloneDX that is changed here. */
interface Document {
  readonly metadata: object;
  readonly components: readonly { readonly 'bom-ref': string }[];
}

/**
 * The content of a release, as CycloneDX in JSON: what pnpm lists for the programs, with the Node that is shipped, and without
 * what is different at each time: dates, a random number, and which package it says depends on which.
 */
export async function billOfMaterials(
  { id, time }: Commit,
  architectures: readonly Architecture[],
): Promise<string> {
  const format = ['--sbom-format', 'cyclonedx', '--sbom-spec-version', '1.6', '--sbom-type', 'application'];
  const programs = ['agent', 'server', 'admin', 'dashboard'] as const;
  const { metadata, components, ...document }: Document = JSON.parse(
    await pnpmFor(programs, 'sbom', ...format),
  );
  const byReference = components.concat(architectures.map(runtimeComponent));
  return `${JSON.stringify(
    {
      ...document,
      serialNumber: undefined,
      dependencies: undefined,
      metadata: {
        ...metadata,
        timestamp: new Date(time * 1_000).toISOString(),
        properties: [{ name: 'visitor-counter:commit', value: id }],
      },
      components: byReference
        .filter((one) => !isPostgres(one['bom-ref']))
        .toSorted((a, b) => (a['bom-ref'] < b['bom-ref'] ? -1 : 1)),
    },
    null,
    2,
  )}\n`;
}

function runtimeComponent(architecture: Architecture) {
  const { name, version, integrity } = runtimes[architecture];
  const purl = `pkg:npm/${name}@${version}`;
  const content = Buffer.from(integrity.replace(/^sha512-/, ''), 'base64').toString('hex');
  return {
    type: 'library',
    name,
    version,
    purl,
    'bom-ref': purl,
    hashes: [{ alg: 'SHA-512', content }],
    licenses: [{ license: { id: 'MIT' } }],
  };
}
