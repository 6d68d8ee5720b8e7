/** Debian's names of the processors that units have. */
export const architectures = ['arm64', 'amd64'] as const;

export type Architecture = (typeof architectures)[number];
