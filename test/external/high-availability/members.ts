import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { expect } from 'vitest';
import type { Machine } from './machine.ts';

/** The status of Patroni's own PostgreSQL, which Patroni requests for each answer. */
const status = Compile(
  Type.Object({
    role: Type.String(),
    state: Type.String(),
    timeline: Type.Optional(Type.Integer()),
    replication: Type.Optional(
      Type.Array(
        Type.Object({ application_name: Type.String(), state: Type.String(), sync_state: Type.String() }),
      ),
    ),
  }),
);

/** The state of the cluster that Patroni read from etcd some seconds ago. */
const cluster = Compile(
  Type.Object({ members: Type.Array(Type.Object({ name: Type.String(), role: Type.String() })) }),
);

/** The machine with the primary; throws unless there is exactly one. */
export async function primaryOf(machines: readonly Machine[]): Promise<Machine> {
  const answers = await Promise.all(
    machines.map(({ address }) =>
      ask(address, 'primary').then(
        (answer) => answer.status === 200,
        () => false,
      ),
    ),
  );
  const [primary, ...others] = machines.filter((_, index) => answers[index]);
  if (primary === undefined || others.length > 0) throw new Error(`${others.length} primaries too many`);
  return primary;
}

/**
 * Fails unless both standbys receive the write-ahead log of the primary, and one of them is the one that every
 * commit waits for and that may be promoted.
 */
export async function expectWhole(machines: readonly Machine[]): Promise<void> {
  const primary = await primaryOf(machines);
  const statuses = await Promise.all(machines.map(statusOf));
  const { replication = [], timeline } = statuses[machines.indexOf(primary)] ?? {};
  expect(statuses).toMatchObject(machines.map(() => ({ state: 'running', timeline })));
  expect(replication.map(({ state }) => state)).toEqual(['streaming', 'streaming']);
  const { members } = cluster.Parse(await (await ask(primary.address, 'cluster')).json());
  const promotable = members.filter(({ role }) => role === 'sync_standby').map(({ name }) => name);
  const awaited = replication.filter(({ sync_state }) => sync_state === 'sync');
  expect(promotable).toEqual(awaited.map(({ application_name }) => application_name));
  expect(promotable).toHaveLength(1);
}

async function statusOf({ address }: Machine) {
  return status.Parse(await (await ask(address, 'patroni')).json());
}

function ask(address: string, path: string): Promise<Response> {
  return fetch(`http://${address}:8008/${path}`, { signal: AbortSignal.timeout(2_000) });
}
