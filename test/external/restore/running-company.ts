import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { migrate } from '@visitor-counter/database/migrations/migrate';
import { withClient } from '@visitor-counter/database/sql/create-database';
import { startService } from '@visitor-counter/test/service-process';
import { expect, onTestFinished, vi } from 'vitest';
import { drawLive, type UnitTruth } from '../../faults/truth/unit-truth.ts';
import { startCrossingsWitness } from '../../faults/witnesses/crossings-witness.ts';
import { startLiveWitness } from '../../faults/witnesses/live-witness.ts';
import { wrongWitnesses } from '../../faults/witnesses/witnesses.ts';
import { applyCompanies, drawCompanies, secretOf } from '../../faults/world/company.ts';

/** People cross for so long before the start, and while everything runs (ms). */
const traffic = { before: 60_000, within: 30_000, perSecond: 4 };
const patience = { timeout: 60_000, interval: 100 };

/** A store with two doors, all programs that serve it, and its API clients, on a real database. */
export interface RunningCompany {
  /** Resolves when a unit has had crossings acknowledged. */
  stored(): Promise<void>;
  /**
   * Waits for the last crossing, then until the database has every crossing exactly once; rejects if that
   * does not happen.
   */
  healed(): Promise<void>;
}

/** Starts all programs as processes; a program that ends, or logs a programming error, fails the test. */
export async function startCompany(url: string): Promise<RunningCompany> {
  await migrate(url);
  const now = Date.now();
  const [drawn] = drawCompanies(now);
  const [store] = drawn?.stores ?? [];
  if (drawn === undefined || store === undefined) throw new Error('there is no store');
  const company = { ...drawn, stores: [store] };
  const { before, within, perSecond } = traffic;
  const times = { now: now - before, within: before + within, perSecond };
  const truths = ['CU-0001', 'CU-0002'].map((serial) =>
    drawLive({ serial, timeZone: store.timeZone, store: store.sid }, times, Math.random),
  );
  await applyCompanies(url, [company], truths);
  const ports = { MQTT_PORT: '0', METRICS_PORT: '0', HTTP_PORT: '0' };
  const start = async (program: 'alerts' | 'api' | 'gateway') => {
    const service = await startService(program, [], { DATABASE_URL: url, ...ports });
    onTestFinished(() => service.kill());
    return service;
  };
  const [gateway, api] = await Promise.all([start('gateway'), start('api'), start('alerts')]);
  for (const truth of truths) await startUnit(truth, Number(gateway.ready['mqttPort']));
  const apiUrl = `http://127.0.0.1:${api.ready['httpPort']}`;
  const live = startLiveWitness(apiUrl, company);
  const crossings = startCrossingsWitness(apiUrl, company, new Set());
  const witnesses = { live: [live], crossings: [crossings], complaints: () => [], close: async () => {} };
  onTestFinished(async () => {
    await Promise.all([live.close(), crossings.close()]);
  });
  const doors = truths.map((truth) => ({ truth, recorded: truth.crossings.length }));
  const happened = truths.flatMap(({ serial, crossings }) =>
    crossings.map(({ at, direction }, index) => ({ serial, sequence: index + 1, at, direction })),
  );
  return {
    stored: () => vi.waitFor(async () => expect((await storedIn(url)).length).toBeGreaterThan(0), patience),
    healed: async () => {
      await pause(Math.max(0, now + within - Date.now()));
      await vi.waitFor(async () => expect(await storedIn(url)).toEqual(happened), patience);
      await vi.waitFor(
        () => expect(wrongWitnesses(witnesses, [company], doors, Date.now())).toEqual([]),
        patience,
      );
      await vi.waitFor(async () => expect(await missingIn(url)).toEqual([]), patience);
      expect([...live.complaints, ...crossings.complaints]).toEqual([]);
    },
  };
}

async function startUnit(truth: UnitTruth, port: number): Promise<void> {
  const { serial, profile, startsOn, timeZone, from, until } = truth;
  const folder = await mkdtemp(join(tmpdir(), 'visitor-counter-unit-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, 'profile.csv'), profile);
  const config = join(folder, 'unit.yaml');
  await writeFile(
    config,
    `serial: ${serial}\nsecret: ${secretOf(serial)}\nserver: mqtt://127.0.0.1:${port}\njournal: journal
uplink: { heartbeatSeconds: 1 }
beams: { source: simulated, profile: profile.csv, timeZone: ${timeZone}, startsOn: ${startsOn},
  from: ${from}, until: ${until} }\n`,
  );
  const agent = await startService('agent', ['run', '--config', config], {});
  onTestFinished(() => agent.kill());
}

function rowsOf(url: string, sql: string): Promise<Record<string, unknown>[]> {
  return withClient(url, async (client) => (await client.query<Record<string, unknown>>(sql)).rows);
}

function storedIn(url: string): Promise<Record<string, unknown>[]> {
  return rowsOf(
    url,
    `select serial, sequence::int, (extract(epoch from at) * 1000)::float8 as at, direction
     from crossing join device on device.id = device_id order by serial, sequence`,
  );
}

function missingIn(url: string): Promise<Record<string, unknown>[]> {
  return rowsOf(
    url,
    'select journal_id from journal_missing union all select device_id from device_recovery',
  );
}
