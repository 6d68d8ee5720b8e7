import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { withClient } from '@visitor-counter/database/sql/open-client';
import { freePorts } from '@visitor-counter/test/free-ports';
import { startService } from '@visitor-counter/test/service-process';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { expect, onTestFinished } from 'vitest';
import { drawLive, type UnitTruth } from '../../faults/truth/unit-truth.ts';
import { type JournaledDoor, startCrossingsWitness } from '../../faults/witnesses/crossings-witness.ts';
import { startLiveWitness } from '../../faults/witnesses/live-witness.ts';
import { wrongWitnesses } from '../../faults/witnesses/witnesses.ts';
import { applyCompanies, drawCompanies, secretOf } from '../../faults/world/company.ts';

/** How long people cross before the start (ms). */
const before = 60_000;
/** At each door. */
const perSecond = 4;

/** A store with two doors, all programs that serve it, and its API clients, on a real database. */
export interface RunningCompany {
  /** Resolves when a unit has had crossings acknowledged. */
  stored(): Promise<void>;
  /** The progress that the units have reported. */
  readonly units: readonly Readonly<Progress>[];
  /** The rows of the database, in the order of units and sequences. */
  rows(): Promise<Record<string, unknown>[]>;
  /** Ends all units, so that no more people are counted. */
  halt(): Promise<void>;
  /**
   * Waits for the last crossing, then until the database has every crossing exactly once; rejects if that
   * does not happen.
   */
  healed(): Promise<void>;
}

/** Where units and API clients connect. */
export interface Entrance {
  /** The server of `unit.yaml`, and a file with the CA of its certificate. */
  readonly units: { readonly server: string; readonly ca?: string };
  readonly apiUrl: string;
}

export interface CompanyOptions {
  /** Starts the programs. */
  readonly serve: () => Promise<Entrance>;
  /** For how long people cross while everything runs (ms), unless they are halted before. */
  readonly within: number;
}

/** Starts all programs as processes; a program that ends, or logs a programming error, fails the test. */
export async function startCompany(url: string, { serve, within }: CompanyOptions): Promise<RunningCompany> {
  const now = Date.now();
  const [drawn] = drawCompanies(now);
  const [store] = drawn?.stores ?? [];
  if (drawn === undefined || store === undefined) throw new Error('there is no store');
  const company = { ...drawn, stores: [store] };
  const times = { now: now - before, within: before + within, perSecond };
  const truths = ['CU-0001', 'CU-0002'].map((serial) =>
    drawLive({ serial, timeZone: store.timeZone, store: store.sid }, times, Math.random),
  );
  const { units: server, apiUrl } = await serve();
  await applyCompanies(url, [company], truths);
  const units = await Promise.all(truths.map((truth) => startUnit(truth, server)));
  const live = startLiveWitness(apiUrl, company);
  const crossings = startCrossingsWitness(apiUrl, company, new Set());
  const witnesses = { live: [live], crossings: [crossings], complaints: () => [], close: async () => {} };
  onTestFinished(async () => {
    await Promise.all([live.close(), crossings.close()]);
  });
  let isHalted = false;
  return {
    units: units.map(({ progress }) => progress),
    rows: () => storedIn(url),
    stored: () => expect.poll(async () => (await storedIn(url)).length).toBeGreaterThan(0),
    halt: async () => {
      isHalted = true;
      await Promise.all(units.map(({ stop }) => stop()));
    },
    healed: async () => {
      if (!isHalted) await pause(Math.max(0, now + within - Date.now()));
      const doors = units.map(({ truth, progress }) => ({
        truth,
        recorded: isHalted ? progress.recorded : truth.crossings.length,
      }));
      const happened = doors.flatMap(happenedAt);
      await expect.poll(() => storedIn(url)).toEqual(happened);
      await expect.poll(() => wrongWitnesses(witnesses, [company], doors, Date.now())).toEqual([]);
      await expect.poll(() => missingIn(url)).toEqual([]);
      expect([...live.complaints, ...crossings.complaints]).toEqual([]);
    },
  };
}

function happenedAt({ truth: { serial, crossings }, recorded }: JournaledDoor): Record<string, unknown>[] {
  return crossings
    .slice(0, recorded)
    .map(({ at, direction }, index) => ({ serial, sequence: index + 1, at, direction }));
}

/** All programs as processes, one for each role, which can be stopped and started again on the same ports. */
export interface StartedPrograms {
  readonly entrance: Entrance;
  readonly ports: Readonly<Record<'MQTT_PORT' | 'HTTP_PORT', string>>;
  stop(): Promise<void>;
}

export async function startPrograms(url: string, given?: StartedPrograms['ports']): Promise<StartedPrograms> {
  const [mqtt, http] = await freePorts(2);
  const ports = given ?? { MQTT_PORT: String(mqtt), HTTP_PORT: String(http) };
  const start = async (program: 'alerts' | 'api' | 'gateway') => {
    const service = await startService(program, [], { DATABASE_URL: url, METRICS_PORT: '0', ...ports });
    onTestFinished(() => service.kill());
    return service;
  };
  const services = await Promise.all([start('gateway'), start('api'), start('alerts')]);
  return {
    entrance: {
      units: { server: `mqtt://127.0.0.1:${ports.MQTT_PORT}` },
      apiUrl: `http://127.0.0.1:${ports.HTTP_PORT}`,
    },
    ports,
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

interface StartedUnit {
  readonly truth: UnitTruth;
  readonly progress: Progress;
  stop(): Promise<unknown>;
}

async function startUnit(truth: UnitTruth, server: Entrance['units']): Promise<StartedUnit> {
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

function missingIn(url: string): Promise<Record<string, unknown>[]> {
  return rowsOf(url, 'select id from journal where missing_since is not null');
}
