import { getCorrectionsDescription } from './corrections/get-corrections.ts';
import { postCorrectionDescription } from './corrections/post-correction.ts';
import { postUndoDescription } from './corrections/undo-correction.ts';
import { getCountsDescription } from './counts/get-counts.ts';
import { enrolmentDescription } from './enrolment/enrolment-description.ts';
import { getAlertsDescription } from './get-alerts.ts';
import { getCrossingsDescription } from './get-crossings.ts';
import { liveDescription } from './live/live-route.ts';
import type { RouteDescription } from './routing/route.ts';
import { getSessionDescription } from './session/get-session.ts';
import { signInDescription, signOutDescription } from './session/session-routes.ts';
import { getDevicesDescription } from './stores/get-devices.ts';
import { getOccupancyDescription } from './stores/get-occupancy.ts';
import { getStoreDescription, getStoresDescription } from './stores/get-stores.ts';

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
