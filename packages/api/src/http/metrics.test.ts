import { scrape } from '@visitor-counter/test/scrape';
import { expect, onTestFinished, test, vi } from 'vitest';
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

test('names paths as they are documented, so that live streams and liveness checks are different pages', async () => {
  const api = await oneStore();
  const base = `http://127.0.0.1:${api.port}`;
  const headers = { authorization: `Bearer ${credentials.Token}` };
  const stream = await fetch(`${base}/v1/live`, { headers });
  await stream.body?.cancel();
  await answerTo(`${base}/live`, {});
  await answerTo(`${base}/v1/stores/no-such-store`, { headers });
  await answerTo(`${base}/public/Service.asmx`, {});

  const pages = async () =>
    [...(await scrape(api.metricsPort)).keys()]
      .flatMap((name) => /^visitor_counter_api_requests_total{page="(.*)",end/.exec(name)?.[1] ?? [])
      .sort();
  await expect.poll(pages).toEqual(['/live', '/v1/live', '/v1/stores/{sid}', 'Service.asmx']);
});

test('logs guessed credentials in a bounded number of lines, so that other lines stay readable', async () => {
  const api = await oneStore();
  const guess = (n: number) => api.post(today, { ...credentials, Token: `guess ${n}` });
  /* The first line begins the time for which lines are counted, which therefore does not end during the test. */
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  await guess(0);
  vi.useRealTimers();
  for (let n = 1; n < 150; n += 1) await guess(n);
  await api.post(today, credentials);

  await expect.poll(() => api.logged()).toContain('"msg":"request"');
  const refused = api
    .logged()
    .split('\n')
    .filter((line) => line.includes('"msg":"request refused"'));
  expect(refused).toHaveLength(100);
  expect(refused[0]).toContain('"code":"invalid_credential"');
});
