import type { CallerLimits } from '../access/caller-limits.ts';
import type { NoteUse } from '../access/note-use.ts';
import { sidsOf } from '../session/get-session.ts';
import { addSessionRoutes } from '../session/session-routes.ts';
import { Sessions } from '../session/sessions.ts';
import type { V1 } from './add-v1.ts';
import { allRoutes } from './all-routes.ts';
import { Callers } from './caller.ts';
import type { V1Resources } from './v1-resources.ts';

/** The read interface over a database. */
export function createV1(resources: V1Resources, noteUse: NoteUse, limits: CallerLimits): V1 {
  const { database, now } = resources;
  const callers = new Callers({ database, now, noteUse, limits });
  const sessions = new Sessions(database, now);
  const sids = sidsOf(resources);
  return {
    ...{ callers, sessions },
    routes: allRoutes(resources),
    addMore: (app) => addSessionRoutes(app, { callers, sessions, sids }),
  };
}
