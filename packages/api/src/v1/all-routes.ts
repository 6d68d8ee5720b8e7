import { getSession } from '../session/get-session.ts';
import { getCorrections } from './corrections/get-corrections.ts';
import { postCorrection } from './corrections/post-correction.ts';
import { postUndo } from './corrections/undo-correction.ts';
import { getCounts } from './counts/get-counts.ts';
import { getAlerts } from './get-alerts.ts';
import { getCrossings } from './get-crossings.ts';
import { getDevices } from './get-devices.ts';
import { getOccupancy } from './get-occupancy.ts';
import { getStore, getStores } from './get-stores.ts';
import type { Route } from './route.ts';
import type { V1Resources } from './v1-resources.ts';

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
