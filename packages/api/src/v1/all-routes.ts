import { getCorrections } from './corrections/get-corrections.ts';
import { postCorrection } from './corrections/post-correction.ts';
import { postUndo } from './corrections/undo-correction.ts';
import { getCounts } from './counts/get-counts.ts';
import { getAlerts } from './get-alerts.ts';
import { getCrossings } from './get-crossings.ts';
import type { Route } from './routing/route.ts';
import type { V1Resources } from './routing/v1-resources.ts';
import { getSession } from './session/get-session.ts';
import { getDevices } from './stores/get-devices.ts';
import { getOccupancy } from './stores/get-occupancy.ts';
import { getStore, getStores } from './stores/get-stores.ts';

/** The routes of /v1 that answer once, in the order in which they are documented. */
export function allRoutes(resources: V1Resources): readonly Route[] {
  return [
    getSession(resources),
    getStores(resources),
    getStore(resources),
    getDevices(resources),
    getOccupancy(resources),
    getCounts(resources),
    getCrossings(resources),
    getCorrections(resources),
    postCorrection(resources),
    postUndo(resources),
    getAlerts(resources),
  ];
}
