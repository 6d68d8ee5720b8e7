import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { expect, onTestFinished, test } from 'vitest';
import { lifeSignalKey, type OneStore, oneStore, token } from '../testing/one-store.ts';

interface Heard {
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
  const events: Heard[] = [];
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

/** Has one person walk in, now. */
async function walkIn({ seed, storeId, deviceId, journalId }: OneStore, sequence: number): Promise<void> {
  await seed.crossings([{ storeId, deviceId, journalId, sequence, at: Date.now(), direction: 1 }]);
}

const patience = { timeout: 10_000 };

test('tells all numbers at once, and then each that changes', async () => {
  const api = await oneStore();
  const { answer, events, numbers } = await listenTo(api);
  expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  await expect.poll(numbers, patience).toEqual([[0]]);

  await walkIn(api, 1);
  await expect.poll(numbers, patience).toEqual([[0], [1]]);
  await walkIn(api, 2);
  await expect.poll(numbers, patience).toEqual([[0], [1], [2]]);

  expect(events[0]?.data.stores[0]).toMatchObject({ store: 'S-1', name: 'Main Door', capacity: null });
  await expect
    .poll(() => events.some(({ event, data }) => event === 'beat' && data.fresh), patience)
    .toBe(true);
});

test('tells of a correction, and of a unit that goes offline', async () => {
  const api = await oneStore();
  await api.seed.query(
    `update device_state set online = true, last_activity_at = now(), heartbeat_at = now(), heartbeat = $1`,
    [JSON.stringify({ at: Date.now(), recorded: 0, acknowledged: 0 })],
  );
  await api.seed.credential({ companyId: api.companyId, kind: 'staff', value: 'staff-token' });
  const { events, numbers } = await listenTo(api);
  await expect.poll(numbers, patience).toEqual([[0]]);

  await fetch(`http://127.0.0.1:${api.port}/v1/corrections`, {
    method: 'POST',
    body: JSON.stringify({ store: 'S-1', people: 7, by: 'Kim' }),
    headers: { authorization: 'Bearer staff-token', 'content-type': 'application/json' },
  });
  await expect.poll(numbers, patience).toEqual([[0], [7]]);
  await api.seed.query(`update device_state set online = false, online_changed_at = now()`);

  await expect
    .poll(() => events.find(({ event }) => event === 'health')?.data.stores, patience)
    .toMatchObject([{ store: 'S-1', obstacles: [{ kind: 'offline', device: 'CU-0001' }] }]);
});

test('tells those who listen of what was found when somebody else began to', async () => {
  const api = await oneStore();
  await api.seed.store({ companyId: api.companyId, sid: 'S-2' });
  const { numbers } = await listenTo(api, '/v1/live?store=S-1');
  await expect.poll(numbers, patience).toEqual([[0]]);
  for (let person = 1; person <= 8; person += 1) {
    await walkIn(api, person);
    const other = await listenTo(api, '/v1/live?store=S-2');
    await expect.poll(() => numbers().at(-1), patience).toEqual([person]);
    other.leave();
  }
});

test('ends within seconds when the credential is revoked', async () => {
  const api = await oneStore();
  const { ended, numbers } = await listenTo(api);
  await expect.poll(numbers, patience).toEqual([[0]]);

  await api.seed.query(`update credential set revoked_at = now() where kind = 'counts'`);

  await ended;
  expect((await listenTo(api)).answer.status).toBe(401);
});

test('refuses who may not listen, and stores that they do not see', async () => {
  const api = await oneStore();
  expect((await listenTo(api, '/v1/live', lifeSignalKey)).answer.status).toBe(403);
  expect((await listenTo(api, '/v1/live?store=S-9')).answer.status).toBe(404);
  expect((await listenTo(api, '/v1/live?store=S-1')).answer.status).toBe(200);
});

test('asks the database nothing while nobody listens', async () => {
  const api = await oneStore();
  const { leave, numbers } = await listenTo(api);
  await expect.poll(numbers, patience).toEqual([[0]]);
  leave();
  const lastLook = async () => {
    const [row] = await api.seed.query(
      `select extract(epoch from now() - max(query_start))::float8 as age from pg_stat_activity
       where application_name = 'visitor-counter api' and datname = current_database()`,
    );
    return Number(row?.['age']);
  };
  await expect.poll(lastLook, { timeout: 15_000, interval: 200 }).toBeGreaterThan(4);
});
