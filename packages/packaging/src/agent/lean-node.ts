/**
 * How Node runs the agent: a small unit's memory matters more than its speed. A small young generation, no
 * compiled code, and no start from a snapshot, whose pages stay in memory.
 */
export const leanNode = ['--max-semi-space-size=1', '--lite-mode', '--no-node-snapshot'] as const;
