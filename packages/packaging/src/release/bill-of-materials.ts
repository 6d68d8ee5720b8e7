import { Enums, Models, Serialize, SPDX, Spec } from '@cyclonedx/cyclonedx-library';
import type { ShippedPackage } from '../dependencies/shipped.ts';
import type { BasePackage } from '../image/debian-base.ts';
import type { Architecture, Runtime } from '../program/runtimes.ts';

interface BomContent {
  readonly version: string;
  /** The commit that the release was built from. */
  readonly commit: string;
  /** Epoch seconds. */
  readonly time: number;
  readonly packages: readonly ShippedPackage[];
  readonly runtimes: readonly Runtime[];
  /** The packages of Debian in the image. */
  readonly base: readonly BasePackage[];
  readonly architectures: readonly Architecture[];
}

/** The version of CycloneDX that `billOfMaterials` writes. */
const cycloneDx = Spec.Spec1dot6;

/** The content of a release, as CycloneDX in JSON. The same content gives the same bytes. */
export function billOfMaterials(content: BomContent): string {
  const { version, commit, time, packages } = content;
  const product = new Models.Component(Enums.ComponentType.Application, 'visitor-counter', {
    version,
    bomRef: `visitor-counter@${version}`,
    licenses: new Models.LicenseRepository([licenceFor('MIT')]),
  });
  product.properties.add(new Models.Property('visitor-counter:commit', commit));
  const components = new Map(packages.map((one) => [`${one.name}@${one.version}`, componentOf(one)]));
  for (const one of packages) {
    const component = components.get(`${one.name}@${one.version}`);
    if (component === undefined) continue;
    product.dependencies.add(component.bomRef);
    for (const needed of one.dependencies) {
      const other = components.get(needed);
      if (other) component.dependencies.add(other.bomRef);
    }
  }
  const others = [...content.runtimes.map(componentOfRuntime), ...debianComponents(content)];
  for (const other of others) product.dependencies.add(other.bomRef);
  const bom = new Models.Bom({
    metadata: new Models.Metadata({ timestamp: new Date(time * 1_000), component: product }),
    components: new Models.ComponentRepository([...components.values(), ...others]),
  });
  const serializer = new Serialize.JsonSerializer(new Serialize.JSON.Normalize.Factory(cycloneDx));
  return `${serializer.serialize(bom, { sortLists: true, space: 2 })}\n`;
}

function componentOf({ name, version, licence, integrity, usedBy }: ShippedPackage): Models.Component {
  const component = library(name, version, integrity, licence);
  component.properties.add(new Models.Property('visitor-counter:programs', usedBy.join(' ')));
  return component;
}

function componentOfRuntime({ name, version, integrity }: Runtime): Models.Component {
  return library(name, version, integrity, 'MIT');
}

function debianComponents({ base, architectures }: BomContent): Models.Component[] {
  return base.flatMap(({ name, version, licence, sha256 }) =>
    architectures.map((architecture) => {
      const purl = `pkg:deb/debian/${name}@${version}?arch=${architecture}&distro=debian-13`;
      return new Models.Component(Enums.ComponentType.Library, name, {
        version,
        purl,
        bomRef: purl,
        hashes: new Models.HashDictionary([[Enums.HashAlgorithm['SHA-256'], sha256[architecture]]]),
        licenses: new Models.LicenseRepository([licenceFor(licence)]),
      });
    }),
  );
}

function library(name: string, version: string, integrity: string, licence: string): Models.Component {
  const [scope, own] = name.startsWith('@') ? name.split('/') : [undefined, name];
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  return new Models.Component(Enums.ComponentType.Library, own ?? name, {
    ...(scope === undefined ? {} : { group: scope }),
    version,
    purl,
    bomRef: purl,
    hashes: new Models.HashDictionary([[Enums.HashAlgorithm['SHA-512'], hexOf(integrity)]]),
    licenses: new Models.LicenseRepository([licenceFor(licence)]),
  });
}

function hexOf(integrity: string): string {
  return Buffer.from(integrity.replace(/^sha512-/, ''), 'base64').toString('hex');
}

function licenceFor(name: string): Models.License {
  return SPDX.isSupportedSpdxId(name) ? new Models.SpdxLicense(name) : new Models.LicenseExpression(name);
}
