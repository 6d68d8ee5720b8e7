import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** A source file of the product, without tests and their support. */
export interface Source {
  /** From the root of the repository, such as `packages/agent/src/main.ts`. */
  readonly path: string;
  /** The name of its package, such as `agent`. */
  readonly package: string;
  readonly text: string;
  /** Every module that it imports, as it is written in the file. */
  readonly imports: readonly string[];
}

export const packageNames: readonly string[] = readdirSync(join(root, 'packages')).sort();

export const sources: readonly Source[] = packageNames.flatMap((name) => sourcesOf(name));

function sourcesOf(name: string): Source[] {
  const folder = join(root, 'packages', name, 'src');
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$|(^|\/)testing\//.test(file))
    .map((file) => {
      const text = readFileSync(join(folder, file), 'utf8');
      const imports = [...text.matchAll(/\b(?:from|import)\s*\(?\s*'([^']+)'/g)].map(
        ([, module = '']) => module,
      );
      return { path: relative(root, join(folder, file)), package: name, text, imports };
    });
}

/** The files of its own package that a source imports. */
export function localImports({ path, imports }: Source): string[] {
  return imports
    .filter((module) => module.startsWith('.'))
    .map((module) => normalize(join(dirname(path), module)));
}

/** The packages of this repository that a source imports, such as `domain`. */
export function packageImports({ imports }: Source): string[] {
  return imports.flatMap((module) => /^@visitor-counter\/([^/]+)/.exec(module)?.[1] ?? []);
}

/** The packages of this repository that a package may import at run time, as its `package.json` declares. */
export function declaredPackages(name: string): string[] {
  const { dependencies }: { dependencies?: object } = JSON.parse(
    readFileSync(join(root, 'packages', name, 'package.json'), 'utf8'),
  );
  return Object.keys(dependencies ?? {}).flatMap(
    (module) => /^@visitor-counter\/(.+)$/.exec(module)?.[1] ?? [],
  );
}

/** The packages that each package may use: the table in `docs/contributors.md`. */
export function documentedDirections(): ReadonlyMap<string, readonly string[]> {
  const text = readFileSync(join(root, 'docs/contributors.md'), 'utf8');
  const rows = text.matchAll(/^\| `packages\/([\w-]+)` \|[^|]*\|([^|]*)\|$/gm);
  return new Map(
    [...rows].map(([, name = '', uses = '']) => [
      name,
      [...uses.matchAll(/`([\w-]+)`/g)].map(([, use = '']) => use),
    ]),
  );
}
