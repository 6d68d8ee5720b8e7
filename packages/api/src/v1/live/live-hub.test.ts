import { Writable } from 'node:stream';
import { connect } from '@visitor-counter/database/sql/connect';
import { storeFacts } from '@visitor-counter/database/stores/stores';
import { holdLock } from '@visitor-counter/test/held-lock';
import { type Seed, seed } from '@visitor-counter/test/seed';
import { testDatabase } from '@visitor-counter/test/test-database';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import type { Caller } from '../../access/callers.ts';
import { LiveHub } from './live-hub.ts';
import { StoreBoard } from './store-board.ts';

/** A hub on a real database, whose clock and timers the test moves. */
async function hubUnderTest() {
  const url = await testDatabase();
  const rows = seed(url);
  const database = connect(url, { applicationName: 'test' });
  onTestFinished(() => database.close());
  const clock = { now: Date.now() };
  const now = () => clock.now;
  const revoked = new Set<Caller>();
  const board = new StoreBoard(database, now);
  const hub = new LiveHub({
    board,
    now,
    stillValid: async (callers) => new Set(callers.filter((caller) => !revoked.has(caller))),
    onError: () => {},
  });
  onTestFinished(() => hub.close());
  const rounds = [
    { interval: 150, run: () => hub.read(), due: 0, isRunning: false },
    { interval: 5_000, run: async () => hub.beat(), due: 0, isRunning: false },
    { interval: 3_000, run: () => hub.endInvalid(), due: 0, isRunning: false },
  ];
  /** Lets so much time pass (ms), and begins every round that is due. */
  const pass = async (ms: number) => {
    clock.now += ms;
    for (const round of rounds.filter(({ due, isRunning }) => due <= clock.now && !isRunning)) {
      round.isRunning = true;
      const ended = () => Object.assign(round, { isRunning: false, due: clock.now + round.interval });
      void round
        .run()
        .catch(() => {})
        .finally(ended);
    }
    await new Promise(setImmediate);
  };
  const isIdle = () => rounds.every(({ isRunning }) => !isRunning);
  return {
    hub,
    board,
    clock,
    isIdle,
    url,
    rows,
    pass,
    revoked,
    company: (name: string) => company(rows, name),
  };

  async function company(on: Seed, name: string) {
    const companyId = await on.company(name);
    const storeId = await on.store({ companyId, sid: `${name}-1` });
    const deviceId = await on.device({ companyId, storeId, serial: `CU-${name}` });
    const journalId = await on.journal(deviceId, 'journal');
    const caller: Caller = {
      companyId,
      company: name,
      storeIds: null,
      credentialId: companyId,
      kind: 'counts',
      label: name,
      maySettings: false,
      expiresAt: null,
      session: null,
      companyKey: 'acme',
      by: 'credential',
      hash: Buffer.alloc(32),
    };
    let sequence = 0;
    return {
      caller,
      stores: await storeFacts(database.kysely, { companyId, storeIds: null }),
      /** Lets a person walk in; returns how many did. */
      walkIn: async () => {
        sequence += 1;
        const crossing = { storeId, deviceId, journalId, sequence, direction: 1 } as const;
        await on.crossings([{ ...crossing, at: clock.now - 1_000 }]);
        return sequence;
      },
    };
  }
}

interface Event {
  readonly at: string;
  /** Those of completeness have no occupancy. */
  readonly stores?: readonly { readonly occupancy?: number }[];
  readonly fresh?: boolean;
}

/** A client that reads everything immediately. */
function client() {
  let text = '';
  const response = new Writable({
    write: (chunk: Buffer, _, done) => {
      text += chunk.toString();
      done();
    },
  });
  const events = (): Event[] =>
    [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data ?? ''));
  return {
    response,
    text: () => text,
    events,
    occupancy: () =>
      events()
        .flatMap(({ stores }) => stores?.[0]?.occupancy ?? [])
        .at(-1),
    fresh: () => events().findLast(({ fresh }) => fresh !== undefined)?.fresh,
  };
}

/* The clock is the test's, so that nothing is gained by waiting longer before it looks again (ms). */
const often = { interval: 5 };

test('delivers changes, is ready and closes revoked streams after any order of joining, leaving and time', async () => {
  const { hub, rows, pass, revoked, company } = await hubUnderTest();
  const { caller, stores, walkIn } = await company('Acme');
  const event = fc.constantFrom('join', 'leave', 'tick', 'pass 2 s', 'pass 6 s', 'settle');
  await fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 10 }), async (order) => {
      const open: (() => void)[] = [];
      for (const one of order) {
        if (one === 'join') open.push(hub.join(caller, client().response, stores));
        if (one === 'leave') open.shift()?.();
        if (one === 'tick') await pass(150);
        if (one === 'pass 2 s') await pass(2_000);
        if (one === 'pass 6 s') await pass(6_000);
        if (one === 'settle') await rows.query('select');
      }
      for (const leave of open) leave();

      const { response, occupancy, fresh } = client();
      const mine = { ...caller };
      const leave = hub.join(mine, response, stores);
      const people = await walkIn();
      const numberAfterTime = async () => {
        await pass(150);
        return occupancy();
      };
      await expect.poll(numberAfterTime, often).toBe(people);
      await expect.poll(async () => [await pass(150), fresh()], often).toEqual([undefined, true]);
      expect(hub.isReady).toBe(true);
      revoked.add(mine);
      await expect
        .poll(async () => [await pass(150), response.writableEnded], often)
        .toEqual([undefined, true]);
      leave();
    }),
    { numRuns: 25 },
  );
});

test('reads the database only while there are listeners', async () => {
  const { hub, board, isIdle, pass, company } = await hubUnderTest();
  const { caller, stores } = await company('Acme');
  await pass(5_000);
  expect(board.readAt).toBe(Number.NEGATIVE_INFINITY);
  const leave = hub.join(caller, client().response, stores);
  await expect
    .poll(async () => [await pass(150), Number.isFinite(board.readAt)], often)
    .toEqual([undefined, true]);
  leave();
  expect(stores.map(({ id }) => board.has(id))).toEqual([false]);
  await expect.poll(isIdle, often).toBe(true);
  const { readAt } = board;
  await pass(20_000);
  expect(board.readAt).toBe(readAt);

  hub.join(caller, client().response, stores);
  expect(hub.isReady).toBe(true);
  hub.close();
  const { response } = client();
  hub.join(caller, response, stores);
  expect(response.writableEnded).toBe(true);
});

test('sends every new listener the time of the server, also while the numbers stay the same', async () => {
  const { hub, clock, pass, company } = await hubUnderTest();
  const { caller, stores } = await company('Acme');
  const first = client();
  hub.join(caller, first.response, stores);
  await expect.poll(async () => [await pass(150), first.occupancy()], often).toEqual([undefined, 0]);

  for (const ms of [1_000, 3_000]) {
    clock.now += ms;
    const { response, events } = client();
    hub.join(caller, response, stores);
    await expect.poll(async () => [await pass(0), events().length > 0], often).toEqual([undefined, true]);
    expect(events().map(({ at }) => Date.parse(at))).toEqual([clock.now]);
  }
});

test('has one event in flight for a client that does not read, then sends the latest number, and disconnects it at the end', async () => {
  const { hub, isIdle, pass, revoked, company } = await hubUnderTest();
  const { caller, stores, walkIn } = await company('Acme');
  let text = '';
  let received: (() => void) | undefined;
  const response = new Writable({
    highWaterMark: 16,
    write: (chunk: Buffer, _, done) => {
      text += chunk.toString();
      received = done;
    },
  });
  const numbers = () => [...text.matchAll(/"occupancy":(\d+)/g)].map(([, number]) => Number(number));
  hub.join(caller, response, stores);
  await expect.poll(async () => [await pass(150), numbers()], often).toEqual([undefined, [0]]);
  const witness = client();
  hub.join({ ...caller }, witness.response, stores);
  for (let n = 0; n < 5; n += 1) {
    const people = await walkIn();
    await expect.poll(async () => [await pass(150), witness.occupancy()], often).toEqual([undefined, people]);
    expect(response.writableLength).toBeLessThanOrEqual(text.length);
  }
  expect(numbers()).toEqual([0]);
  /* A beat may come first. */
  const numbersAfterTake = async () => {
    const done = received;
    received = undefined;
    done?.();
    await pass(150);
    return numbers();
  };
  await expect.poll(numbersAfterTake, often).toEqual([0, 5]);
  await expect.poll(isIdle, often).toBe(true);
  revoked.add(caller);
  await expect.poll(async () => [await pass(150), response.destroyed], often).toEqual([undefined, true]);
});

test('reports old numbers on streams and on /ready, and sends none to new listeners, while it cannot read the database', async () => {
  const { hub, url, pass, company } = await hubUnderTest();
  const { caller, stores, walkIn } = await company('Acme');
  const before = client();
  hub.join(caller, before.response, stores);
  await expect.poll(async () => [await pass(150), before.occupancy()]).toEqual([undefined, 0]);
  expect(hub.isReady).toBe(true);

  const lock = await holdLock(url, 'lock table day in access exclusive mode');
  const during = client();
  hub.join(caller, during.response, stores);
  await expect.poll(async () => [await pass(1_000), before.fresh()]).toEqual([undefined, false]);
  await pass(5_000);
  expect([before.fresh(), during.fresh(), hub.isReady]).toEqual([false, false, false]);
  const late = client();
  hub.join(caller, late.response, stores);
  await pass(5_000);
  expect([late.fresh(), late.occupancy()]).toEqual([false, undefined]);
  await lock.release();

  const people = await walkIn();
  await expect.poll(async () => [await pass(150), before.occupancy()]).toEqual([undefined, people]);
  expect(late.occupancy()).toBe(people);
  await expect.poll(async () => [await pass(150), during.fresh()]).toEqual([undefined, true]);
  expect(hub.isReady).toBe(true);
});
