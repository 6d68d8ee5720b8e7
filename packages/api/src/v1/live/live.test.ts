import { connect } from 'node:net';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { expect, onTestFinished, test } from 'vitest';
import { checkedFetch } from '../../../test/checked-fetch.ts';
import { lifeSignalKey, type OneStore, oneStore, token } from '../../../test/one-store.ts';

interface ServerEvent {
  readonly event: string;
  readonly data: { stores: Record<string, unknown>[]; fresh?: boolean };
}

/** Listens to the stream of an api as `EventSource` does. */
async function listenTo({ port }: OneStore, path = '/v1/live', credential = token) {
  const leaving = new AbortController();
  onTestFinished(() => leaving.abort());
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    headers: { authorization: `Bearer ${credential}` },
    signal: leaving.signal,
  });
  const events: ServerEvent[] = [];
  const parser = createParser({
    onEvent: ({ event = '', data }: EventSourceMessage) => events.push({ event, data: JSON.parse(data) }),
  });
  const ended = (async () => {
    for await (const chunk of answer.body ?? []) parser.feed(new TextDecoder().decode(chunk));
  })().catch(() => {});
  const numbers = () =>
    events
      .filter(({ event }) => event === 'occupancy')
      .map(({ data }) => data.stores.map((one) => one['occupancy']));
  return { answer, events, ended, numbers, leave: () => leaving.abort() };
}

/** A client that reads nothing until its socket is resumed. */
async function slowListener({ port }: OneStore) {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  socket.pause();
  socket.write(`GET /v1/live HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n\r\n`);
  const numbers = () =>
    [...text.slice(0, text.lastIndexOf('\n\n')).matchAll(/^data: (.*"stores":.*)$/gm)].map(
      ([, data]) => JSON.parse(data ?? '').stores[0].occupancy,
    );
  return { socket, numbers };
}

/** Adds stores, whose state is larger than every buffer on its way. */
async function addStores({ seed, companyId }: OneStore, count: number): Promise<void> {
  await seed.query(
    `insert into store (company_id, sid, name, address, city, time_zone)
     select $1, 'T-' || n, repeat('x', 200) || n, '1 High St', 'Irvine', 'UTC' from generate_series(1, $2::int) n`,
    [companyId, count],
  );
}

/** Has one person walk in, now. */
async function walkIn({ seed, storeId, deviceId, journalId }: OneStore, sequence: number): Promise<void> {
  await seed.crossings([{ storeId, deviceId, journalId, sequence, at: Date.now(), direction: 1 }]);
}

test('sends the numbers of all stores first, and then those that change', async () => {
  const api = await oneStore();
  const { answer, events, numbers } = await listenTo(api);
  expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  await expect.poll(numbers).toEqual([[0]]);

  await walkIn(api, 1);
  await expect.poll(numbers).toEqual([[0], [1]]);
  await walkIn(api, 2);
  await expect.poll(numbers).toEqual([[0], [1], [2]]);

  expect(events[0]?.data.stores[0]).toMatchObject({ store: 'S-1', name: 'Main Door', capacity: null });
  await expect.poll(() => events.some(({ event, data }) => event === 'beat' && data.fresh)).toBe(true);
});

test('sends corrections, staff who came in, and a unit that goes offline', async () => {
  const api = await oneStore();
  await api.seed.query(
    `update device_state set online = true, last_activity_at = now(), heartbeat_at = now(), heartbeat = $1`,
    [JSON.stringify({ at: Date.now(), recorded: 0, acknowledged: 0 })],
  );
  await api.seed.credential({ companyId: api.companyId, kind: 'staff', value: 'staff-token' });
  const { events, numbers } = await listenTo(api);
  await expect.poll(numbers).toEqual([[0]]);

  const enter = (path: string, people: number) =>
    fetch(`http://127.0.0.1:${api.port}/v1/${path}`, {
      method: 'POST',
      body: JSON.stringify({ store: 'S-1', people, by: 'Kim' }),
      headers: { authorization: 'Bearer staff-token', 'content-type': 'application/json' },
    });
  await enter('corrections', 7);
  await expect.poll(numbers).toEqual([[0], [7]]);
  /* Also if only the instant of the last change is another one, or only the visitors are. */
  await enter('corrections', 7);
  await expect.poll(numbers).toEqual([[0], [7], [7]]);
  await walkIn(api, 1);
  await expect.poll(numbers).toEqual([[0], [7], [7], [8]]);
  await enter('staff-passages', 1);
  await expect.poll(numbers).toEqual([[0], [7], [7], [8], [8]]);
  await api.seed.query(`update device_state set online = false, online_changed_at = now()`);

  await expect
    .poll(() => events.find(({ event }) => event === 'completeness')?.data.stores)
    .toMatchObject([{ store: 'S-1', obstacles: [{ kind: 'offline', device: 'CU-0001' }] }]);
});

test('sends a store whose name, time zone or capacity was changed, with its present business day', async () => {
  const api = await oneStore();
  const { events, numbers } = await listenTo(api);
  await expect.poll(numbers).toEqual([[0]]);

  await api.seed.query(
    `update store set name = 'Side Door', time_zone = 'Pacific/Kiritimati', capacity = 120`,
  );

  await expect
    .poll(() => events.findLast(({ event }) => event === 'occupancy')?.data.stores)
    .toMatchObject([
      { name: 'Side Door', capacity: 120, day: { start: expect.stringMatching(/T00:00:00.000\+14:00$/) } },
    ]);
});

test('ends within seconds when the credential is revoked', async () => {
  const api = await oneStore();
  const { ended, numbers } = await listenTo(api);
  await expect.poll(numbers).toEqual([[0]]);

  await api.seed.query(`update credential set revoked_at = now() where kind = 'counts'`);

  await ended;
  expect((await listenTo(api)).answer.status).toBe(401);
});

test('refuses credentials of another kind, and stores that the caller does not see', async () => {
  const api = await oneStore();
  expect((await listenTo(api, '/v1/live', lifeSignalKey)).answer.status).toBe(403);
  expect((await listenTo(api, '/v1/live?store=S-9')).answer.status).toBe(404);
  expect((await listenTo(api, '/v1/live?store=S-1')).answer.status).toBe(200);
});

test('does not query the database without listeners', async () => {
  const api = await oneStore();
  const { leave, numbers } = await listenTo(api);
  await expect.poll(numbers).toEqual([[0]]);
  leave();
  const lastLook = async () => {
    const [row] = await api.seed.query(
      `select extract(epoch from now() - max(query_start))::float8 as age from pg_stat_activity
       where application_name = 'visitor-counter api' and datname = current_database()`,
    );
    return Number(row?.['age']);
  };
  await expect.poll(lastLook, { interval: 200 }).toBeGreaterThan(4);
});

test('sends a listener that does not read the latest state once when it reads again', async () => {
  const api = await oneStore();
  await addStores(api, 300);
  const slow = await slowListener(api);
  const witness = await listenTo(api, '/v1/live?store=S-1');
  /* What the sockets of both sides buffer of these is more than one event, and far less than all of them. */
  for (let person = 1; person <= 30; person += 1) {
    await walkIn(api, person);
    await expect.poll(() => witness.numbers().at(-1), { interval: 10 }).toEqual([person]);
  }
  slow.socket.resume();
  await expect.poll(() => slow.numbers().at(-1)).toBe(30);
  expect(slow.numbers().length).toBeLessThanOrEqual(31);
});

test('refuses streams of a company that has as many as are free, until one is closed', async () => {
  const api = await oneStore({ limits: { streams: 4 } });
  const other = await api.seed.company('Other');
  await api.seed.store({ companyId: other, sid: 'S-2' });
  await api.seed.credential({ companyId: other, kind: 'counts', value: 'other-token' });
  const open = async (credential: string) => {
    const stream = await listenTo(api, '/v1/live', credential);
    return { ...stream, status: stream.answer.status };
  };
  const first = await open(token);
  expect([first.status, (await open(token)).status]).toEqual([200, 200]);
  const url = `http://127.0.0.1:${api.port}/v1/live`;
  const refused = await checkedFetch(url, { headers: { authorization: `Bearer ${token}` } });
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '10']);
  expect(await refused.json()).toMatchObject({ code: 'too_many_listeners' });
  expect((await open('other-token')).status).toBe(200);

  first.leave();
  await expect.poll(async () => (await open(token)).status).toBe(200);
});

test('continues for all companies when a unit of one of them sent invalid values', async () => {
  const api = await oneStore();
  const { seed } = api;
  const other = await seed.company('Other');
  const storeId = await seed.store({ companyId: other, sid: 'S-2', timeZone: 'Mars/Olympus' });
  const deviceId = await seed.device({ companyId: other, storeId, serial: 'CU-2' });
  const journalId = await seed.journal(deviceId, 'journal-b');
  await seed.credential({ companyId: other, kind: 'counts', value: 'other-token' });
  const witness = await listenTo(api);
  const stream = await listenTo(api, '/v1/live', 'other-token');
  let people = 0;
  for (const since of [8.64e15, 1e300, -1, 'x']) {
    const beams = [{ name: 'outer', state: 'blocked', since, breaks: since }];
    const heartbeat = JSON.stringify({ at: since, recorded: since, acknowledged: since, beams });
    await seed.query('update device_state set heartbeat = $1, heartbeat_at = now() where device_id = $2', [
      heartbeat,
      deviceId,
    ]);
    people += 1;
    await walkIn(api, people);
    await walkIn({ ...api, storeId, deviceId, journalId }, people);
    await expect.poll(() => witness.numbers().at(-1)).toEqual([people]);
    await expect.poll(() => stream.numbers().at(-1)).toEqual([people]);
  }
});
