import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { gzipLevel, prefersGzip } from '../http/answer-body.ts';
import { type Availability, requireAnswerable } from '../http/availability.ts';
import { addBodyParser, jsonObject, utf8Text } from '../http/request-body.ts';
import { Problem, unsupportedMediaType } from '../problems/problems.ts';
import type { Resources } from '../resources.ts';
import { getAudits, postAudit } from './accuracy/audits.ts';
import { getAlerts } from './alerts.ts';
import { getCounts } from './counts/get-counts.ts';
import { getCrossings } from './crossings.ts';
import { enrolmentRoute } from './enrolment.ts';
import { corrections, passages } from './entries/entries.ts';
import { liveRoute } from './live/live-route.ts';
import { deleteMailReport, getMailReports, postMailReport, putMailReport } from './reports/mail-reports.ts';
import { getMailReportPreview, postMailReportTest } from './reports/try-report.ts';
import type { HandledRoute, Route } from './routing/route.ts';
import { requireKnownQuery, runRoute } from './routing/run-route.ts';
import { mediaTypesOf } from './routing/values.ts';
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
import { getLastDay } from './visitors/get-last-day.ts';
import { getVisitorsByStore } from './visitors/get-stores.ts';
import { getVisitors } from './visitors/get-visitors.ts';
import { getVisitorsByWeek } from './visitors/get-week.ts';

/** Every route of /v1, in the order in which they are documented. */
export const routes: readonly (Route | HandledRoute)[] = [
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
  getLastDay,
  getCrossings,
  corrections.list,
  corrections.enter,
  corrections.undo,
  passages.list,
  passages.enter,
  passages.undo,
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
  getMailReportPreview,
  postMailReportTest,
  liveRoute,
  enrolmentRoute,
];

/** The request headers that every answer of /v1 depends on. */
const headers = { vary: 'Accept, Accept-Encoding, Authorization, Cookie' } as const;

/** The read interface, in a context of its own: its bodies are JSON, its callers send a credential or a session cookie. */
export async function addV1(
  app: FastifyInstance,
  resources: Resources,
  availability: Availability,
): Promise<void> {
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    addBodyParser(scope, 'application/json', jsonObject);
    addBodyParser(scope, textTypes, utf8Text);
    scope.addContentTypeParser('*', async ({ method, routeOptions: { url } }: FastifyRequest) => {
      throw unsupportedMediaType(readable.get(`${method} ${url}`));
    });
    scope.addHook('onRequest', async (request, reply) => {
      reply.headers(headers);
      if (hasEmptySegment(request.params)) throw new Problem('not_found');
      requireAnswerable(request, availability);
    });
    scope.addHook('onSend', compressed);
    scope.addHook('onListen', async () => resources.hub.start());
    scope.addHook('preClose', async () => resources.hub.close());
    /* Other bodies are so small that they may be read first. */
    const requireCaller = async (request: FastifyRequest) => {
      await resources.callers.identify(request);
    };
    for (const route of routes) {
      const { method, path: url, bodyLimit } = route;
      const handler = async (request: FastifyRequest, reply: FastifyReply) => {
        requireKnownQuery(route, request);
        return await ('handle' in route
          ? route.handle(resources, request, reply)
          : runRoute(route, resources, request, reply));
      };
      const large = bodyLimit !== undefined && { bodyLimit, preParsing: requireCaller };
      scope.route({ method, url, handler, ...large });
    }
  });
}

/** Shorter answers are not compressed (bytes): they are one packet anyway. */
const worthCompressing = 1_400;

/** Compresses an answer if the caller accepts that: on a phone, answers about hundreds of stores would take seconds. */
async function compressed(request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> {
  if (typeof payload !== 'string' || payload.length < worthCompressing) return payload;
  if (!prefersGzip(request.headers)) return payload;
  reply.header('content-encoding', 'gzip');
  return promisify(gzip)(payload, { level: gzipLevel });
}

/** The router matches an empty path parameter: `/v1/stores/` would be the store with an empty sid. */
function hasEmptySegment(parameters: unknown): boolean {
  return typeof parameters === 'object' && parameters !== null && Object.values(parameters).includes('');
}

/** The media types of the body that each route reads. */
const readable = new Map(
  routes.map(({ method, path, rawBody }) => [`${method} ${path}`, mediaTypesOf(rawBody)]),
);

/** The media types of text that some route reads. */
const textTypes = [...new Set(routes.flatMap(({ rawBody }) => Object.keys(rawBody?.texts ?? {})))];
