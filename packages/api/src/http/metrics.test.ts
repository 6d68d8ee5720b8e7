import { scrape } from '@visitor-counter/test/scrape';
import { expect, test } from 'vitest';
import { answerTo } from '../../test/api-under-test.ts';
import { credentials, oneStore } from '../../test/one-store.ts';

const today = 'GetAllCountsByCompanyForTodayPublic';

test('counts requests by operation and end, and problems by code', async () => {
  const api = await oneStore();
  await api.post(today, credentials);
  await api.post(today, { ...credentials, Token: 'guessed' });
  const v1 = `http://127.0.0.1:${api.port}/v1`;
  await answerTo(`${v1}/stores`, { headers: { authorization: 'Bearer guessed' } });
  await answerTo(`${v1}/stores`, { headers: { cookie: 'visitor-counter=expired' } });
  await answerTo(`${v1}/session`, {
    method: 'POST',
    body: '{"token":"guessed"}',
    headers: { 'content-type': 'application/json', 'x-requested-with': 'test' },
  });
  await api.post('GetCountsByCompanyAndDatePublic', { ...credentials, DateFrom: '2026-13-01' });
  await answerTo(`http://127.0.0.1:${api.port}/some/${'name'.repeat(40)}`, {});
  await answerTo(`http://127.0.0.1:${api.port}/live`, {});

  const expected = {
    'requests_total{page="/live",end="2xx"}': 1,
    [`requests_total{page="${today}",end="2xx"}`]: 1,
    [`requests_total{page="${today}",end="4xx"}`]: 1,
    'requests_total{page="GetCountsByCompanyAndDatePublic",end="4xx"}': 1,
    'requests_total{page="other",end="4xx"}': 1,
    [`request_seconds_count{page="${today}"}`]: 2,
    requests_in_flight: 0,
    'problems_total{code="invalid_credential"}': 1,
    'problems_total{code="not_found"}': 1,
    'problems_total{code="unauthenticated"}': 3,
    exports_running: 0,
    /* An idle connection is closed after some seconds. */
    database_connections: expect.any(Number),
  };
  /* A request is counted after its answer has been sent. */
  const shown = async () => {
    const series = await scrape(api.metricsPort);
    return Object.fromEntries(
      Object.keys(expected).map((name) => [name, series.get(`visitor_counter_api_${name}`)]),
    );
  };
  await expect.poll(shown).toEqual(expected);
  const series = await scrape(api.metricsPort);
  expect(series.has('process_resident_memory_bytes')).toBe(true);
  expect([...series.keys()].join()).not.toMatch(/guessed|namename|Acme/);
});
