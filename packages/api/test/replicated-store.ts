import type { ReplicatedServer, Standby } from '@visitor-counter/test/replicated-server';
import { expect } from 'vitest';
import { type ApiUnderTest, answerTo, apiUnderTest, type TestOptions } from './api-under-test.ts';
import { crossMany } from './many-crossings.ts';
import { type OneStore, oneStore, token } from './one-store.ts';

/** The allowed lag of a replica (ms). A busy machine does not exceed it. */
export const maxLag = 3_000;

/** An api that uses a replica. */
export interface Replicated extends ApiUnderTest {
  readonly standby: Standby;
  get(path: string, credential?: string): ReturnType<typeof answerTo>;
  /** The metrics of reports, by the label or the name without what all have. */
  counted(): Promise<Record<string, number>>;
  /** Waits until the replica is used. */
  untilUsed(): Promise<void>;
}

interface StoreOptions extends TestOptions {
  readonly server: ReplicatedServer;
  readonly standby: Standby;
  /** 40,000 crossings instead of none. */
  readonly isLarge?: boolean;
}

/** An api, and a store with its rows in a database of its own; the credential `staff-token` may enter corrections. */
export async function replicatedStore({
  server,
  standby,
  isLarge = false,
  ...options
}: StoreOptions): Promise<OneStore & Replicated> {
  const databaseUrl = await server.database();
  const replica = { url: standby.urlOf(databaseUrl), maxLag };
  const api = await oneStore({ replica, ...options, databaseUrl });
  if (isLarge) await crossMany(api.seed, api);
  await api.seed.credential({ companyId: api.companyId, kind: 'staff', value: 'staff-token', label: 'till' });
  return { ...api, ...(await reading(api, standby)) };
}

/** An api for a database that has its rows. */
export async function replicated(
  options: TestOptions & { databaseUrl: string },
  standby: Standby,
): Promise<Replicated> {
  const api = await apiUnderTest(options);
  return { ...api, ...(await reading(api, standby)) };
}

async function reading({ port, metricsPort }: ApiUnderTest, standby: Standby) {
  const counted = async () => {
    const page = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    const found = page.matchAll(
      /^visitor_counter_api_(?:reports_total\{replica="(\w+)"\}|(replica_\w+)) (\S+)$/gm,
    );
    return Object.fromEntries([...found].map(([, reason, name, value]) => [reason ?? name, Number(value)]));
  };
  const untilUsed = () =>
    expect.poll(async () => (await counted())['replica_unused'], { timeout: 20_000 }).toBe(0);
  await untilUsed();
  const get = (path: string, credential = token) =>
    answerTo(`http://127.0.0.1:${port}${path}`, { headers: { authorization: `Bearer ${credential}` } });
  return { standby, counted, untilUsed, get };
}

/** How many transactions of apis on the standby are idle because their callers do not read. */
export async function heldBackOn(standby: Standby): Promise<number> {
  const idle = `select from pg_stat_activity where application_name = 'visitor-counter api'
    and state = 'idle in transaction' and state_change < now() - interval '0.2 s'`;
  return (await standby.query(idle)).length;
}
