import type { Fault } from './fault.ts';

export const killApi: Fault = {
  kind: 'api killed',
  kills: true,
  weight: 1,
  inject: ({ api }) => api.process.kill(),
};
