import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openJournal } from '@visitor-counter/agent/journal/journal';
import { startAgent as startAgentHere } from '@visitor-counter/agent/start-agent';
import { connect } from '@visitor-counter/database/connect';
import {
  addDeviceCommand,
  setDeviceConfig,
  type UnitOrder,
} from '@visitor-counter/database/operating/unit-orders';
import { createLogger } from '@visitor-counter/service/logger';
import { type RestorableDatabase, restorableDatabase } from '@visitor-counter/test/restorable-database';
import { seed } from '@visitor-counter/test/seed';
import { startService } from '@visitor-counter/test/service-process';
import { startTcpProxy } from '@visitor-counter/test/tcp-proxy';
import { expect, onTestFinished, test, vi } from 'vitest';

/** Crossings in the unit's journal at the start; the first is so long ago (ms). */
const recorded = 20_000;
const oldest = recorded * 1_000;
const patience = { timeout: 60_000, interval: 20 };

/** A unit with many crossings, a gateway that it reaches through a proxy, and a database that can be restored. */
async function unitAndGateway() {
  const database = await restorableDatabase();
  const target = { host: '127.0.0.1', port: 1 };
  const proxy = await startTcpProxy(target);
  const config = await unitFolder(`mqtt://127.0.0.1:${proxy.port}`);
  const startAgent = async () => {
    const agent = await startService('agent', ['run', '--config', config], {});
    onTestFinished(() => agent.kill());
    return agent;
  };
  /** The same in this process, which tries to connect again soon. */
  const startImpatientAgent = async () => {
    let output = '';
    const write = (line: string) => {
      output += line;
    };
    const uplink = { backOff: { base: 20, cap: 100 } };
    const agent = await startAgentHere(config, {}, createLogger('agent', {}, { write }), { uplink });
    onTestFinished(() => agent.close());
    return { output: () => output };
  };
  const startGateway = async () => {
    const ports = { MQTT_PORT: '0', HEALTH_PORT: '0', METRICS_PORT: '0' };
    const gateway = await startService('gateway', [], { DATABASE_URL: database.url, ...ports });
    onTestFinished(() => gateway.kill());
    target.port = Number(gateway.ready['mqttPort']);
    return gateway;
  };
  return { database, proxy, startAgent, startImpatientAgent, startGateway, ...(await ordersIn(database)) };
}

async function unitFolder(server: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'visitor-counter-commands-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, 'door.csv'), '');
  const unit = `serial: CU-1\nsecret: secret of CU-1\nserver: ${server}\njournal: journal
uplink: { heartbeatSeconds: 1 }\nbeams: { source: replay, file: door.csv }\n`;
  await writeFile(join(folder, 'unit.yaml'), unit);
  const journal = await openJournal(join(folder, 'journal'));
  const began = Date.now() - oldest;
  await journal.append(
    Array.from({ length: recorded }, (_, index) => ({
      at: began + index * 1_000,
      direction: index % 2 ? -1 : 1,
    })),
  );
  await journal.close();
  return join(folder, 'unit.yaml');
}

/** Orders of an operator, and what the database says about them. */
async function ordersIn({ url }: RestorableDatabase) {
  const rows = seed(url);
  const companyId = await rows.company('Acme');
  const storeId = await rows.store({ companyId, sid: 'S-1' });
  const deviceId = await rows.device({ companyId, storeId, serial: 'CU-1' });
  const { kysely, close } = connect(url, { applicationName: 'test orders' });
  onTestFinished(close);
  const one = async (sql: string, values: readonly unknown[] = []) =>
    (await rows.query(sql, values))[0] ?? {};
  return {
    order: (command: UnitOrder) =>
      addDeviceCommand(kysely, deviceId, command, new Date(Date.now() + 3_600_000)),
    configure: (settings: object) => setDeviceConfig(kysely, deviceId, settings),
    stored: async () => Number((await one('select count(*) from crossing'))['count']),
    state: (id: number) =>
      one(
        `select state, sent::integer, total::integer, problem, missing, finished_at is not null as finished
         from device_command where id = $1`,
        [id],
      ),
    revision: async () =>
      (await one(`select heartbeat->'config'->'revision' as revision from device_state`))['revision'],
  };
}

type World = Awaited<ReturnType<typeof unitAndGateway>>;

/** Delivers everything, and then loses it in the database. */
async function loseAll<Agent extends { output(): string }>(
  { database, startGateway, stored }: World,
  startAgent: () => Promise<Agent>,
) {
  await database.dump();
  const before = await startGateway();
  const agent = await startAgent();
  await vi.waitFor(async () => expect(await stored()).toBe(recorded), patience);
  await vi.waitFor(() => expect(agent.output()).toContain(`"acknowledged":${recorded}`), patience);
  await before.kill();
  await database.restore();
  expect(await stored()).toBe(0);
  return agent;
}

const resendAll = (): UnitOrder => ({ command: 'resend', from: Date.now() - 2 * oldest, until: Date.now() });
const done = { state: 'done', sent: recorded, total: recorded, problem: null, missing: null, finished: true };

test('a resend continues after each end of its connection, and is done when everything is sent', async () => {
  const world = await unitAndGateway();
  const { startGateway, order, stored, state, proxy } = world;
  const agent = await loseAll(world, world.startImpatientAgent);
  const id = await order(resendAll());
  await startGateway();
  for (const some of [2_000, 6_000, 12_000]) {
    await vi.waitFor(async () => expect(await stored()).toBeGreaterThanOrEqual(some), patience);
    proxy.cut();
  }
  await vi.waitFor(async () => expect(await state(id)).toEqual(done), patience);
  expect(await stored()).toBe(recorded);
  for (const message of ['resend started', 'resend interrupted', 'resend resumed', 'resend done'])
    expect(agent.output()).toContain(`"${message}"`);
});

test('a resend continues when the unit is killed and starts again', async () => {
  const world = await unitAndGateway();
  const { startAgent, startGateway, order, stored, state } = world;
  const killed = await loseAll(world, startAgent);
  const id = await order(resendAll());
  await startGateway();
  await vi.waitFor(async () => expect(await stored()).toBeGreaterThanOrEqual(3_000), patience);
  await killed.kill();
  expect(await stored()).toBeLessThan(recorded);
  const agent = await startAgent();
  await vi.waitFor(async () => expect(await state(id)).toEqual(done), patience);
  expect(await stored()).toBe(recorded);
  for (const message of ['resend resumed', 'resend done']) expect(agent.output()).toContain(`"${message}"`);
});

test('after a restore, new orders are executed and old ones are not executed again', async () => {
  const { database, startAgent, startGateway, order, configure, stored, state, revision } =
    await unitAndGateway();
  const restart = await order({ command: 'restart' });
  const older = await configure({ detector: { debounce: 9 } });
  await database.dump();
  const before = await startGateway();
  const agent = await startAgent();
  const restarts = () => agent.output().match(/door starts anew/g)?.length;
  const isDone = (id: number) =>
    vi.waitFor(
      async () => expect(await state(id)).toMatchObject({ state: 'done', finished: true }),
      patience,
    );
  await isDone(restart);
  await isDone(await order({ command: 'identify' }));
  const newer = await configure({ detector: { debounce: 11 } });
  await vi.waitFor(async () => expect(await revision()).toBe(newer), patience);
  await vi.waitFor(async () => expect(await stored()).toBe(recorded), patience);
  await before.kill();

  await database.restore();
  expect(await state(restart)).toMatchObject({ state: 'pending' });
  await startGateway();
  await isDone(restart);
  await vi.waitFor(async () => expect(await revision()).toBe(older), patience);
  const latest = await configure({ detector: { debounce: 11 } });
  await vi.waitFor(async () => expect(await revision()).toBe(latest), patience);
  const resend = await order(resendAll());
  await isDone(resend);
  expect(await state(resend)).toEqual(done);
  expect(await stored()).toBe(recorded);
  expect(agent.output().match(/"command":\{"command":"restart"/g)).toHaveLength(1);
  /* Four times for settings, and once for the command. */
  expect(restarts()).toBe(5);
});
