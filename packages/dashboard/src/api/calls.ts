import * as v from 'valibot';
import { request, requestAll } from './request.ts';
import { Alert, Bucket, Correction, Device, Session, Store } from './shapes.ts';

/* All requests of the page to /v1, except the live stream. All throw a RequestError. */

export const currentSession = () => request('/v1/session', Session);

/** Exchanges a staff credential for a cookie that scripts cannot read. */
export const signIn = (token: string) => request('/v1/session', Session, { method: 'POST', body: { token } });

export const signOut = () => request('/v1/session', v.undefined(), { method: 'DELETE' });

export const stores = () => requestAll('/v1/stores', Store);

export const devices = (sid?: string) => requestAll(withQuery('/v1/devices', { store: sid }), Device);

/** The hours of today and of the same day a week ago, of one store or of all. */
export const hoursOfToday = (sid?: string) =>
  requestAll(withQuery('/v1/counts', { bucket: 'hour', compare: 'week', store: sid }), Bucket);

/** The counts of today for each door of a store. */
export const doorsToday = (sid: string) =>
  requestAll(withQuery('/v1/counts', { bucket: 'day', by: 'device', store: sid }), Bucket);

export const corrections = (sid: string, date: string) =>
  requestAll(withQuery('/v1/corrections', { store: sid, from: date, to: date }), Correction);

/** Alerts that are open, and those of the last day; without a store also those of the whole company. */
export const alerts = (sid?: string) => requestAll(withQuery('/v1/alerts', { store: sid }), Alert);

export interface NewCorrection {
  readonly store: string;
  readonly people: number;
  readonly by: string;
  readonly note: string;
}

export const correct = (body: NewCorrection) =>
  request('/v1/corrections', Correction, { method: 'POST', body });

export const undoCorrection = (id: number, by: string) =>
  request(`/v1/corrections/${id}/undo`, Correction, { method: 'POST', body: { by, note: '' } });

function withQuery(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}
