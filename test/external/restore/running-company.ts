import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withClient } from '@visitor-counter/database/sql/open-client';
import { freePorts } from '@visitor-counter/test/free-ports';
import { startService } from '@visitor-counter/test/service-process';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { expect, onTestFinished } from 'vitest';
import { drawLive, type UnitTruth } from '../../faults/truth/unit-truth.ts';
import { applyCompanies, drawCompanies, secretOf } from '../../faults/world/company.ts';

/** How long people cross before the start, and after it unless they are halted (ms). */
const times = { before: 60_000, after: 3_600_000 };
/** At each door. */
const perSecond = 4;

export type RunningCompany = Awaited<ReturnType<typeof startCompany>>;

/** The server of `unit.yaml`, and a file with the CA of its certificate. */
export interface ServerOfUnits {
  readonly server: string;
  readonly ca?: string;
}

/**
 * A store with two units that count people, on a real database. `serve` starts the programs. A unit that ends, or logs a programming error, fails the test.
 */
export async function startCompany(url: string, serve: () => Promise<ServerOfUnits>) {
  const now = Date.now();
  const [drawn] = drawCompanies(now);
  const [store] = drawn?.stores ?? [];
  if (drawn === undefined || store === undefined) throw new Error('there is no store');
  const crowd = { now: now - times.before, within: times.before + times.after, perSecond };
  const truths = ['CU-0001', 'CU-0002'].map((serial) =>
    drawLive({ serial, timeZone: store.timeZone, store: store.sid }, crowd, Math.random),
  );
  const server = await serve();
  await applyCompanies(url, [{ ...drawn, stores: [store] }], truths);
  const units = await Promise.all(truths.map((truth) => startUnit(truth, server)));
  return {
    /** The progress that the units have reported. */
    units: units.map(({ progress }): Readonly<Progress> => progress),
    /** The rows of the database, in the order of units and sequences. */
    rows: () => storedIn(url),
    /** Resolves when a unit has had crossings acknowledged. */
    stored: () => expect.poll(async () => (await storedIn(url)).length).toBeGreaterThan(0),
    /** Ends all units, and waits until the database has every crossing exactly once; rejects if that does not happen. */
    healed: async () => {
      await Promise.all(units.map(({ stop }) => stop()));
      const happened = units.flatMap(({ truth: { serial, crossings }, progress: { recorded } }) =>
        crossings.slice(0, recorded).map((crossing, n) => ({ serial, sequence: n + 1, ...crossing })),
      );
      await expect.poll(() => storedIn(url)).toEqual(happened);
      await expect.poll(() => rowsOf(url, 'select from journal where missing_since is not null')).toEqual([]);
    },
  };
}

/** All programs as processes, one for each role, which can be stopped and started again on the same port. */
export async function startPrograms(url: string, given?: number) {
  const [free = 0] = await freePorts(1);
  const port = given ?? free;
  const ports = { MQTT_PORT: String(port), HTTP_PORT: '0', METRICS_PORT: '0' };
  const start = async (program: 'alerts' | 'api' | 'gateway') => {
    const service = await startService(program, [], { DATABASE_URL: url, ...ports });
    onTestFinished(() => service.kill());
    return service;
  };
  const services = await Promise.all([start('gateway'), start('api'), start('alerts')]);
  return {
    units: { server: `mqtt://127.0.0.1:${port}` },
    port,
    stop: async () => void (await Promise.all(services.map((service) => service.stop()))),
  };
}

/** The last sequence that a unit has recorded, and the last one that was acknowledged. */
export interface Progress {
  readonly serial: string;
  recorded: number;
  acknowledged: number;
  /** When the last acknowledged crossing happened (epoch ms). */
  acknowledgedUntil?: number;
}

async function startUnit(truth: UnitTruth, server: ServerOfUnits) {
  const { serial, profile, startsOn, timeZone, from, until } = truth;
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'profile.csv'), profile);
  const config = join(folder, 'unit.yaml');
  const beams = { source: 'simulated', profile: 'profile.csv', timeZone, startsOn, from, until };
  const unit = { ...server, serial, secret: secretOf(serial), journal: 'journal', beams };
  await writeFile(config, JSON.stringify({ ...unit, uplink: { heartbeatSeconds: 1 } }));
  const progress: Progress = { serial, recorded: 0, acknowledged: 0 };
  const agent = await startService('agent', ['run', '--config', config], {}, (message) => {
    const { progress: reported } = message as { progress?: Omit<Progress, 'serial'> };
    Object.assign(progress, reported);
  });
  onTestFinished(() => agent.kill());
  return { truth, progress, stop: () => agent.stop() };
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
