import type { CallerLimits, RecordUse } from '../access/caller-limits.ts';
import { Callers } from '../access/callers.ts';
import { Sessions } from '../access/sessions.ts';
import { type StreamLimit, StreamLimits } from '../access/stream-limits.ts';
import type { V1 } from './add-v1.ts';
import { addEnrolment, type EnrolmentOptions } from './enrolment/add-enrolment.ts';
import { LiveHub, type LiveLog } from './live/live-hub.ts';
import { addLiveRoute } from './live/live-route.ts';
import { SharedStores } from './live/shared-stores.ts';
import { StoreBoard } from './live/store-board.ts';
import { allRoutes } from './routes.ts';
import type { V1Resources } from './routing/route.ts';
import { addSessionRoutes, sidsOf } from './session-routes.ts';

interface V1Options {
  readonly enrolment: EnrolmentOptions;
  readonly streams: StreamLimit;
  readonly liveLog: LiveLog;
}

/** The read interface over a database, and what goes with it. */
export function createV1(
  resources: V1Resources,
  recordUse: RecordUse,
  limits: CallerLimits,
  { enrolment, streams, liveLog }: V1Options,
): V1 {
  const { database, now } = resources;
  const callers = new Callers({ database, now, recordUse, limits });
  const sessions = new Sessions(database, now);
  const sids = sidsOf(resources);
  const stores = new SharedStores(database, now);
  const streamLimits = new StreamLimits(streams);
  const hub = new LiveHub({
    board: new StoreBoard(database, now),
    now,
    stillValid: (listening) => callers.stillValid(listening),
    log: liveLog,
  });
  return {
    ...{ callers, sessions },
    routes: allRoutes(resources),
    isLiveReady: () => hub.isReady,
    addMore: (app) => {
      addSessionRoutes(app, { callers, sessions, sids });
      addLiveRoute(app, { callers, sessions, hub, stores, limits: streamLimits });
      addEnrolment(app, enrolment);
    },
  };
}
