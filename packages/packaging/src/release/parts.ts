import { packageAgent } from '../agent/package-agent.ts';
import type { PackageOptions } from '../program/write-package.ts';
import { packageServer } from '../server/package-server.ts';

/** Builds a Debian package for a processor and returns its path. */
export type PackageBuilder = (options: PackageOptions) => Promise<string>;

/** The Debian packages of a release; each is built for every processor. */
export const packageBuilders: readonly PackageBuilder[] = [packageAgent, packageServer];

/** What a release contains in addition to packages, such as an image. */
export interface ExtraOptions {
  /** The folder to write into. */
  readonly out: string;
  readonly version: string;
  /** Of the commit (epoch seconds). */
  readonly time: number;
  readonly onStep: (step: string) => void;
}

/** Each writes its files; the checksums of the release cover them. */
export const extraBuilders: readonly ((options: ExtraOptions) => Promise<void>)[] = [];
