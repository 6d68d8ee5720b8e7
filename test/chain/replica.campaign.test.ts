import { setTimeout as delay } from 'node:timers/promises';
import { storeMessages } from '@visitor-counter/database/ingest/store-messages';
import { StoringConnection } from '@visitor-counter/database/ingest/storing-connection';
import { startProjector } from '@visitor-counter/database/projection/projector';
import { openReplicaSnapshot } from '@visitor-counter/database/replica/replica-snapshot';
import { connect } from '@visitor-counter/database/sql/connect';
import { ReplicatedServer, type Standby } from '@visitor-counter/test/replicated-server';
import { seed } from '@visitor-counter/test/seed';
import { startService } from '@visitor-counter/test/service-process';
import { expect, onTestFinished, test } from 'vitest';
import { anySeed, Random } from '../attack/fuzz/random.ts';

/** How many times a replica, or the primary's commits, are disturbed. */
const disturbances = 40;

const begin = Date.UTC(2026, 9, 1);
const days = { from: '2026-10-01', to: '2026-10-01' };
const counts = `/v1/counts?from=${days.from}&to=${days.to}&bucket=day`;
const company = { CompanyName: 'Acme', Token: 'token' };

/** Requests of one caller, each to any of the api processes. */
class Caller {
  readonly #ports: readonly number[];
  readonly #random: Random;

  constructor(ports: readonly number[], random: Random) {
    this.#ports = ports;
    this.#random = random;
  }

  /** The body of an answer. An answer that was aborted is requested again; any status but success is an error. */
  async call(path: string, init: RequestInit = {}): Promise<unknown> {
    for (;;) {
      const port = this.#ports[this.#random.below(this.#ports.length)];
      const headers = { authorization: 'Bearer staff', 'content-type': 'application/json' };
      try {
        const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers, ...init });
        const body: unknown = await answer.json();
        if (!answer.ok) throw new Error(`${path}: ${answer.status} ${JSON.stringify(body)}`);
        return body;
      } catch (error) {
        if (!(error instanceof TypeError)) throw error;
      }
    }
  }
}

/** Stores crossings of one device, ten in a transaction, until it is aborted. */
async function store(url: string, deviceId: number, done: { stored: number }, stopping: AbortSignal) {
  const connection = new StoringConnection(url, 'test load');
  for (let first = 1; !stopping.aborted; first += 10) {
    const crossings = Array.from({ length: 10 }, (_, index) => ({
      sequence: first + index,
      at: begin + (first + index) * 1_000,
      direction: 1 as const,
    }));
    const message = { deviceId, topic: 't', rejections: [], batch: { journal: 'j', crossings } };
    await connection.use((client, memory) => storeMessages(client, memory, [message]));
    done.stored += 10;
    await delay(20);
  }
  connection.close();
}

/** The number of events of an export never decreases, and contains all that were stored before the request. */
async function readExports(caller: Caller, done: { stored: number }, stopping: AbortSignal) {
  let seen = 0;
  const init = { method: 'POST', body: JSON.stringify({ ...company, DateFrom: days.from, DateTo: days.to }) };
  while (!stopping.aborted) {
    const least = Math.max(seen, done.stored);
    const events = await caller.call('/public/Service.asmx/GetCountsByCompanyAndDatePublic', init);
    seen = Array.isArray(events) ? events.length : 0;
    expect(seen).toBeGreaterThanOrEqual(least);
  }
}

/** A reader of crossings receives each of them once, in order, and no cursor is refused. */
async function readCrossings(caller: Caller, stopping: AbortSignal): Promise<number> {
  let after = '';
  let next = 1;
  for (let more = true; more || !stopping.aborted; ) {
    const page = Object(await caller.call(`/v1/crossings?limit=500${after && `&after=${after}`}`));
    for (const { sequence } of page.items) expect(sequence).toBe(next++);
    ({ next: after, more } = page);
  }
  return next - 1;
}

/** Entries in the projection never decrease, and the caller's own corrections are in the answer. */
async function correct(caller: Caller, stopping: AbortSignal) {
  let entries = 0;
  for (let people = 1; !stopping.aborted; people += 1) {
    const at = new Date(begin + people * 1_000).toISOString();
    const correction = { store: 'S-1', by: 'Kim', people, at };
    await caller.call('/v1/corrections', { method: 'POST', body: JSON.stringify(correction) });
    const [item] = Object(await caller.call(counts)).items;
    expect(item.in).toBeGreaterThanOrEqual(entries);
    expect(item.corrections.map((one: typeof correction) => one.people)).toContain(people);
    entries = item.in;
    await delay(50);
  }
}

async function disturb(server: ReplicatedServer, standby: Standby, random: Random) {
  const time = 100 + random.below(1_500);
  if (random.chance(0.6)) {
    await standby.pauseReplay();
    await delay(time);
    await standby.resumeReplay();
  } else {
    /* Replicas show commits that the primary does not show yet. */
    await server.query(`alter system set synchronous_standby_names = 'nobody'`, 'select pg_reload_conf()');
    await delay(time);
    await server.query('alter system reset synchronous_standby_names', 'select pg_reload_conf()');
  }
}

test('no caller reads older data than before while two of three api processes read from replicas that fail, lag and run ahead', async () => {
  const number = anySeed();
  console.log(`seed ${number}`);
  const server = await ReplicatedServer.start();
  onTestFinished(() => server.stop());
  const url = await server.database();
  const rows = seed(url);
  const companyId = await rows.company('Acme');
  const storeId = await rows.store({ companyId, sid: 'S-1' });
  const deviceId = await rows.device({ companyId, storeId, serial: 'CU-1' });
  await rows.credential({ companyId, kind: 'counts', value: company.Token });
  await rows.credential({ companyId, kind: 'staff', value: 'staff' });
  const projector = startProjector({ url, applicationName: 'test projector', onProblem: () => {} });
  onTestFinished(() => projector.close());
  const standbys: [Standby, Standby] = [await server.standby(), await server.standby()];
  const ports: number[] = [];
  const metricsPorts: unknown[] = [];
  for (const standby of [...standbys, undefined]) {
    const settings = { DATABASE_READ_URL: standby?.urlOf(url) ?? '', DATABASE_READ_MAX_LAG_SECONDS: '1' };
    const api = await startService('api', [], { ...settings, ...anyPorts, DATABASE_URL: url });
    onTestFinished(async () => void (await api.stop()));
    ports.push(Number(api.ready['httpPort']));
    if (standby) metricsPorts.push(api.ready['metricsPort']);
  }
  const random = new Random(number);
  const caller = () => new Caller(ports, new Random(random.below(2 ** 31)));

  const stopping = new AbortController();
  const { signal } = stopping;
  const done = { stored: 0 };
  const reading = [
    store(url, deviceId, done, signal),
    readExports(caller(), done, signal),
    correct(caller(), signal),
    readCrossings(caller(), signal),
  ];
  const disturbing = (async () => {
    for (let count = 0; count < disturbances && !signal.aborted; count += 1)
      await disturb(server, random.pick(standbys), random);
    for (const port of metricsPorts) expect(await usesOfReplica(port)).toBeGreaterThan(20);
    await standbys[0].promote();
    await standbys[1].kill();
    await delay(2_000);
  })();
  await Promise.race([disturbing, ...reading]).finally(() => stopping.abort());
  await Promise.all([disturbing, ...reading]);
  expect(await readCrossings(caller(), signal)).toBe(done.stored);
}, 300_000);

test('a standby of another server is not used', async () => {
  const servers = [await ReplicatedServer.start(), await ReplicatedServer.start()] as const;
  onTestFinished(async () => void (await Promise.all(servers.map((server) => server.stop()))));
  const [ours, theirs] = servers;
  const standby = await theirs.standby();
  const primary = connect(await ours.database(), { applicationName: 'test' });
  const replica = connect(standby.urlOf(await theirs.database()), { applicationName: 'test' });
  onTestFinished(async () => void (await Promise.all([primary.close(), replica.close()])));
  const open = () => openReplicaSnapshot({ primary, replica, maxLag: 500 });
  await expect(open()).rejects.toMatchObject({ fault: 'another_database' });
});

async function usesOfReplica(metricsPort: unknown): Promise<number> {
  const page = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  return Number(/^visitor_counter_api_reports_total\{replica="used"\} (\d+)$/m.exec(page)?.[1]);
}

const anyPorts = { HTTP_PORT: '0', METRICS_PORT: '0', LOG_LEVEL: 'warn' };
