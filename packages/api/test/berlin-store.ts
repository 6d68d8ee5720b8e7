import { untilTransactionsEnd } from '@visitor-counter/test/until-transactions-end';
import { answerTo } from './api-under-test.ts';
import { cross, oneStore, token } from './one-store.ts';

/** What the clock of the api says (epoch ms). */
export const now = Date.parse('2026-11-20T10:20:00Z');

/** A store in Berlin with some crossings today and a week ago, and functions to request it. */
export async function berlinStore() {
  const api = await oneStore({ now: () => now });
  await api.seed.credential({ companyId: api.companyId, kind: 'staff', value: 'staff-token', label: 'till' });
  await cross(api, [
    ['2026-11-13T08:05:00Z', 1],
    ['2026-11-13T08:10:00Z', 1],
    ['2026-11-13T08:50:00Z', -1],
    ['2026-11-20T08:05:00Z', 1],
    ['2026-11-20T08:10:00Z', 1],
    ['2026-11-20T08:40:00Z', -1],
    ['2026-11-20T10:10:00Z', 1],
  ]);
  await untilTransactionsEnd(api.databaseUrl);
  const base = `http://127.0.0.1:${api.port}`;
  const ask = (path: string, credential = token, init: RequestInit = {}) =>
    answerTo(`${base}${path}`, {
      ...init,
      headers: { authorization: `Bearer ${credential}`, ...init.headers },
    });
  const send = (path: string, body: unknown, credential = 'staff-token') =>
    ask(path, credential, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    });
  return { ...api, ask, send };
}
