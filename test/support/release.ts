import { join } from 'node:path';
import manifest from '../../package.json' with { type: 'json' };

/** Sources of the product with their dependencies, from which its programs run. */
export interface Release {
  readonly version: string;
  readonly folder: string;
}

/** This checkout. */
export const thisRelease: Release = {
  version: manifest.version,
  folder: join(import.meta.dirname, '../..'),
};
