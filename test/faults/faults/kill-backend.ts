import type { Fault } from './fault.ts';

export const killBackend: Fault = {
  kind: 'PostgreSQL backend killed',
  kills: true,
  weight: 1,
  inject: ({ database }, random) => database.killBackend(random),
};
