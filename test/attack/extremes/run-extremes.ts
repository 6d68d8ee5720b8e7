import { connect } from '@visitor-counter/database/sql/connect';
import { discardRejected } from '../discard-rejected.ts';
import { startListener } from './listener.ts';
import { type ReadRequest, readHealth, readRequests } from './readers.ts';
import { countHonestly, type Extent, sendExtremes } from './senders.ts';
import { companies, type ExtremesWorld, startExtremesWorld } from './world.ts';

export interface ExtremesResult {
  readonly sent: number;
  readonly answers: number;
  /** Wrong answers, ended live streams, and alerts with text of the unit. */
  readonly faults: readonly string[];
  /** The errors that the processes logged. */
  readonly errors: readonly string[];
  /** Crossings of the honest unit that were acknowledged, and those that are stored. */
  readonly honest: { readonly acknowledged: number; readonly stored: number };
}

export interface RunExtremesOptions extends Extent {
  /** A database without companies. */
  readonly databaseUrl: string;
  /** How many, in addition to every bound of every field. */
  readonly messages: number;
  readonly seed: number;
  readonly onProgress?: (sent: number) => void;
}

/**
 * One device sends every extreme of heartbeats and crossings through a real gateway, while its company and another one
 * read everything continuously. The run fails if a process exits.
 */
export async function runExtremes(options: RunExtremesOptions): Promise<ExtremesResult> {
  const { databaseUrl, seed, onProgress = () => {} } = options;
  const world = await startExtremesWorld(databaseUrl);
  const faults = new Set<string>();
  const stopping = new AbortController();
  const operator = discardRejected(databaseUrl);
  try {
    const listeners = companies.map(({ counts }) => startListener(world.apiUrl(), counts));
    const reading = companies.map((company) => readOn(world, company, faults, stopping.signal));
    const counting = countHonestly(world.mqttPort, stopping.signal);
    const [attacked] = companies;
    const sent = await sendExtremes(world.mqttPort, options, seed, {
      onMessage: async (count) => {
        onProgress(count);
        if (attacked) await readAll(world, readHealth(attacked), faults);
      },
      onLasting: async () => {
        await Promise.all(listeners.map((listener) => listener.beat()));
      },
    });
    stopping.abort();
    let answers = (await Promise.all(reading)).reduce((sum, count) => sum + count, 0);
    const acknowledged = await counting;
    for (const listener of listeners) await listener.close();
    for (const problem of listeners.flatMap(({ problems }) => problems)) faults.add(problem);
    await world.restartApi();
    for (const company of companies)
      answers += await readAll(world, readRequests(company, Date.now()), faults);
    for (const text of world.alerts.filter(saysWhatUnitSaid)) faults.add(`alert: ${text.slice(0, 500)}`);
    const stored = await countStored(databaseUrl);
    return { sent, answers, faults: [...faults], errors: world.errors(), honest: { acknowledged, stored } };
  } finally {
    stopping.abort();
    await operator.stop();
    await world.stop();
  }
}

/** Beams may have any name; an alert names them by position only. */
function saysWhatUnitSaid(alert: string): boolean {
  return /example\.org|<script|drop table|x{64}|__proto__/.test(alert);
}

/** Reads everything repeatedly; returns the number of answers. */
async function readOn(
  world: ExtremesWorld,
  company: (typeof companies)[number],
  faults: Set<string>,
  stopping: AbortSignal,
): Promise<number> {
  let answers = 0;
  while (!stopping.aborted) {
    for (const request of readRequests(company, Date.now())) {
      if (!stopping.aborted) answers += await readAll(world, [request], faults);
    }
  }
  return answers;
}

async function readAll(
  world: ExtremesWorld,
  requests: readonly ReadRequest[],
  faults: Set<string>,
): Promise<number> {
  for (const { name, path, init } of requests) {
    try {
      const answer = await fetch(`${world.apiUrl()}${path}`, init);
      const text = await answer.text();
      if (answer.status >= 500) faults.add(`${name}: ${answer.status} ${text.slice(0, 300)}`);
    } catch (error) {
      faults.add(`${name}: the answer broke off: ${String(error)}`);
    }
  }
  return requests.length;
}

async function countStored(databaseUrl: string): Promise<number> {
  const { pool, close } = connect(databaseUrl, { applicationName: 'attack', maxConnections: 1 });
  try {
    const { rows } = await pool.query<{ count: number }>(
      `select count(*)::float8 as count from crossing join journal on journal.id = journal_id where name = 'honest'`,
    );
    return rows[0]?.count ?? 0;
  } finally {
    await close();
  }
}
