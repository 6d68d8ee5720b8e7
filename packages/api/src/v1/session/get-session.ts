import { storeFacts } from '@visitor-counter/database/stores/store-facts';
import type { Caller } from '../../access/callers.ts';
import { nothing, type Route, type RouteDescription, route } from '../routing/route.ts';
import type { V1Resources } from '../routing/v1-resources.ts';
import { callerShape, shownCaller } from './shown-caller.ts';

export const getSessionDescription = {
  method: 'GET',
  path: '/v1/session',
  summary: 'Who the caller is',
  kinds: ['counts', 'life-signal', 'staff'],
  query: nothing,
  body: nothing,
  status: 200,
  answer: callerShape,
} satisfies RouteDescription;

/** Who the caller is. */
export function getSession(resources: Pick<V1Resources, 'database'>): Route {
  const sids = sidsOf(resources);
  return route(getSessionDescription, async ({ caller }) => shownCaller(caller, await sids(caller)));
}

/** The store ids that a caller is limited to; null without a limit. */
export function sidsOf({ database }: Pick<V1Resources, 'database'>) {
  return async (caller: Caller): Promise<readonly string[] | null> =>
    caller.storeIds === null ? null : (await storeFacts(database.kysely, caller)).map(({ sid }) => sid);
}
