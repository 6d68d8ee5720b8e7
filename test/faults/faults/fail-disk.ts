import { between, type Fault, pick } from './fault.ts';

export const failWrite = failingOnce('write', 'journal write fails');
export const failSync = failingOnce('sync', 'journal fsync fails');

function failingOnce(operation: 'write' | 'sync', kind: string): Fault {
  return {
    kind,
    kills: false,
    weight: 2,
    inject: async ({ units }, random) => {
      const failing = { operation, in: between(1, 8, random) };
      pick(units, random).process.tellOnce({ failing });
    },
  };
}
