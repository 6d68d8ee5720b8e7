import type { Fault } from './fault.ts';

export const killDatabase: Fault = {
  kind: 'PostgreSQL killed',
  kills: true,
  weight: 2,
  inject: ({ database }) => database.kill(),
};
