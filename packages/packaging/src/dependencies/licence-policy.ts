import type { ShippedPackage } from './shipped.ts';

/** Licences of packages that may be shipped with this product, whose own licence is MIT. */
const allowed: ReadonlySet<string> = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'MIT OR Apache-2.0',
  'MPL-2.0',
  'Python-2.0',
  'Unlicense',
  'Zlib',
]);

/** The packages of a release whose licence is not one of the allowed ones, each as a sentence. */
export function refusedLicences(
  packages: readonly Pick<ShippedPackage, 'name' | 'version' | 'licence'>[],
): string[] {
  return packages
    .filter(({ licence }) => !allowed.has(licence))
    .map(
      ({ name, version, licence }) => `${name} ${version} has the licence ${licence}, which is not allowed`,
    );
}
