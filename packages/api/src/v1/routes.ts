import { getCorrections, getCorrectionsDescription } from './corrections/get-corrections.ts';
import { postCorrection, postCorrectionDescription } from './corrections/post-correction.ts';
import { postUndo, postUndoDescription } from './corrections/undo-correction.ts';
import { getCounts, getCountsDescription } from './counts/get-counts.ts';
import { enrolmentDescription } from './enrolment/enrolment-description.ts';
import { getAlerts, getAlertsDescription } from './get-alerts.ts';
import { getCrossings, getCrossingsDescription } from './get-crossings.ts';
import { liveDescription } from './live/live-route.ts';
import type { Route, RouteDescription, V1Resources } from './routing/route.ts';
import {
  getSession,
  getSessionDescription,
  signInDescription,
  signOutDescription,
} from './session-routes.ts';
import { getDevices, getDevicesDescription } from './stores/get-devices.ts';
import { getOccupancy, getOccupancyDescription } from './stores/get-occupancy.ts';
import { getStore, getStoreDescription, getStores, getStoresDescription } from './stores/get-stores.ts';

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

/** Every path of /v1, in the order in which they are documented. */
export const routeDescriptions: readonly RouteDescription[] = [
  getSessionDescription,
  signInDescription,
  signOutDescription,
  getStoresDescription,
  getStoreDescription,
  getDevicesDescription,
  getOccupancyDescription,
  getCountsDescription,
  getCrossingsDescription,
  getCorrectionsDescription,
  postCorrectionDescription,
  postUndoDescription,
  getAlertsDescription,
  liveDescription,
  enrolmentDescription,
];
