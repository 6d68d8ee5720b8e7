import { enterEntry, undoEntry } from '@visitor-counter/database/entries/entries';
import { storeMessages } from '@visitor-counter/database/ingest/store-messages';
import { StoringConnection } from '@visitor-counter/database/ingest/storing-connection';
import { occupancies } from '@visitor-counter/database/occupancy/projected-days';
import type { NumberedCrossing } from '@visitor-counter/domain/crossing';
import { kim } from '@visitor-counter/test/author';
import { connected } from '@visitor-counter/test/connected';
import { projected } from '@visitor-counter/test/projected';
import * as fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { credentials, type OneStore, oneStore } from '../../../test/one-store.ts';

const begin = Date.parse('2026-11-20T10:00:00Z');
const timeZone = 'UTC';

interface Counted {
  readonly at: number;
  readonly people: number;
}

/** All crossings and corrections, one by one, in the plainest way; a correction comes last at its instant. */
function plainly(crossings: readonly NumberedCrossing[], corrections: readonly Counted[]) {
  let inside = 0;
  const amounts: number[] = [];
  const acts = [
    ...crossings.map(({ at, direction, sequence }) => ({ at, rank: 0, sequence, direction, people: 0 })),
    ...corrections.map(({ at, people }, n) => ({ at, rank: 1, sequence: n, direction: 0, people })),
  ].sort((a, b) => a.at - b.at || a.rank - b.rank || a.sequence - b.sequence);
  for (const { direction, people } of acts) {
    if (direction === 0) inside = people;
    else {
      if (inside + direction >= 0) inside += direction;
      amounts.push(inside);
    }
  }
  return { inside, amounts };
}

function gateway({ databaseUrl, deviceId }: OneStore) {
  const connection = new StoringConnection(databaseUrl, 'test gateway');
  onTestFinished(() => connection.close());
  const store = (crossings: readonly NumberedCrossing[]) => {
    const messages = [{ deviceId, topic: 't', batch: { journal: 'j', crossings }, rejections: [] }];
    return connection.use((client, memory) => storeMessages(client, memory, messages));
  };
  let last: Promise<unknown> = Promise.resolve();
  return (crossings: readonly NumberedCrossing[]) => {
    last = last.then(() => store(crossings));
    return last;
  };
}

const act = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('cross'), seconds: fc.nat(2_000), n: fc.nat(40) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('count'), seconds: fc.nat(2_000), n: fc.nat(9) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('undo'), seconds: fc.nat(), n: fc.nat() }) },
);

/** A store with two gateways, and what was done in it. */
async function countedStore() {
  const now = begin + 3_600_000;
  const api = await oneStore({ timeZone, now: () => now });
  const { storeId, seed } = api;
  const credentialId = await seed.credential({ companyId: api.companyId, kind: 'staff', value: 'staff' });
  const { kysely } = connected(api.databaseUrl);
  const gateways = [gateway(api), gateway(api)];
  const entry = { author: kim, note: '', credentialId };
  const crossings: NumberedCrossing[] = [];
  const entries: (Counted & { id: number; undone: boolean })[] = [];

  const cross = async (at: number, n: number, index: number) => {
    const some = Array.from({ length: n }, (_, i): NumberedCrossing => {
      const sequence = crossings.length + i + 1;
      return { sequence, at: at + (i >> 1) * 1_000, direction: (sequence * 7) % 5 < 3 ? 1 : -1 };
    });
    crossings.push(...some);
    if (some.length > 0) await gateways[index % 2]?.(some);
  };
  const count = async (at: number, people: number) => {
    const id = await enterEntry(kysely, 'correction', { ...entry, storeId, at, people });
    entries.push({ id, at, people, undone: false });
  };
  const undo = async (n: number) => {
    const some = entries[n % Math.max(1, entries.length)];
    if (some === undefined || some.undone) return;
    some.undone = true;
    expect(await undoEntry(kysely, 'correction', { ...some, storeId: storeId }, entry)).toBe(true);
    expect(await undoEntry(kysely, 'correction', { ...some, storeId: storeId }, entry)).toBe(false);
  };
  const expectRight = async () => {
    await projected(api.databaseUrl);
    const inForce = entries.filter(({ undone }) => !undone);
    const { inside, amounts } = plainly(
      crossings,
      inForce.toSorted((a, b) => a.id - b.id),
    );
    const [state] = await occupancies(
      kysely,
      [{ storeId, date: '2026-11-20', start: Date.parse('2026-11-20T00:00:00Z') }],
      now,
    );
    expect(state?.occupancy).toBe(inside);
    const range = { ...credentials, DateFrom: '2026-11-20', DateTo: '2026-11-20' };
    const { body } = await api.post('GetCountsByCompanyAndDatePublic', range);
    expect(Array.isArray(body) && body.map(({ Amount }) => Amount)).toEqual(amounts);
    const today = await api.post('GetAllCountsByCompanyForTodayPublic', credentials);
    expect(today.body).toMatchObject([{ Amount: inside }]);
  };
  const forget = async () => {
    crossings.length = 0;
    entries.length = 0;
    /* A truncation would begin another history, in which these writers would have to start again. */
    await seed.query(`begin; set local session_replication_role = replica;
      delete from entry; delete from crossing; delete from mark; delete from quarter_state; delete from quarter; delete from day; commit`);
  };
  return { cross, count, undo, expectRight, forget };
}

test('every number equals a naive count, with late crossings, undone corrections and two gateways', async () => {
  const store = await countedStore();
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(act, { maxLength: 6 }), { maxLength: 8 }), async (rounds) => {
      await store.forget();
      for (const acts of rounds) {
        const work = acts.map(({ kind, seconds, n }, index) => {
          const at = begin + seconds * 1_000;
          if (kind === 'cross') return store.cross(at, n, index);
          return kind === 'count' ? store.count(at, n) : store.undo(n);
        });
        await Promise.all(work);
        await store.expectRight();
      }
    }),
    { numRuns: 15 },
  );
});
