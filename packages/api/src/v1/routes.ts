import { getAudits, postAudit } from './accuracy/audits.ts';
import { getAlerts } from './alerts.ts';
import { getCounts } from './counts/get-counts.ts';
import { getCrossings } from './crossings.ts';
import { type Enrolment, enrolmentRoute } from './enrolment.ts';
import { getCorrections, postCorrection, postUndo } from './entries/corrections.ts';
import { getStaffPassages, postStaffPassage, postUndoPassage } from './entries/staff-passages.ts';
import { type LiveResources, liveRoute } from './live/live-route.ts';
import { deleteMailReport, getMailReports, postMailReport, putMailReport } from './mail-reports.ts';
import type { Route } from './routing/route.ts';
import { getSales, postSales } from './sales/sales.ts';
import { getSession, signIn, signOut } from './session.ts';
import { getAlertRecipients, putAlertRecipients } from './settings/alert-recipients.ts';
import { getAlertRules, putAlertRules } from './settings/alert-rules.ts';
import { postCalendar } from './settings/calendar/calendar-route.ts';
import { getSettings, putSettings } from './settings/store-settings.ts';
import { getDevices } from './stores/devices.ts';
import { getOccupancy } from './stores/occupancy.ts';
import { getStore, getStores } from './stores/stores.ts';
import { getVisitorsByDoor } from './visitors/get-doors.ts';
import { getVisitorsByStore } from './visitors/get-stores.ts';
import { getVisitors } from './visitors/get-visitors.ts';
import { getVisitorsByWeek } from './visitors/get-week.ts';

/** What the routes use. */
export interface V1 extends LiveResources {
  readonly enrolment: Enrolment;
}

/** Every route of /v1, in the order in which they are documented. */
export const routes: readonly Route<V1>[] = [
  getSession,
  signIn,
  signOut,
  getStores,
  getStore,
  getSettings,
  putSettings,
  postCalendar,
  getDevices,
  getOccupancy,
  getCounts,
  getVisitors,
  getVisitorsByWeek,
  getVisitorsByDoor,
  getVisitorsByStore,
  getCrossings,
  getCorrections,
  postCorrection,
  postUndo,
  getStaffPassages,
  postStaffPassage,
  postUndoPassage,
  getSales,
  postSales,
  getAudits,
  postAudit,
  getAlerts,
  getAlertRules,
  putAlertRules,
  getAlertRecipients,
  putAlertRecipients,
  getMailReports,
  postMailReport,
  putMailReport,
  deleteMailReport,
  liveRoute,
  enrolmentRoute,
];
