import type { MessageToStore } from '@visitor-counter/database/ingest/store-messages';
import fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Gate } from '../backpressure/backpressure.ts';
import { type CommitLimits, GroupCommitter } from './group-committer.ts';
import type { Outcome } from './ingest-result.ts';

const message = (deviceId: number): MessageToStore => ({ deviceId, topic: 't', rejections: [] });

type Store = (messages: readonly MessageToStore[]) => Promise<readonly Outcome[]>;

function start(store: Store, limits: Partial<CommitLimits> = {}) {
  const gate = new Gate();
  const committer = new GroupCommitter({ store, gate, onAway: () => {}, limits });
  onTestFinished(() => committer.close());
  const holder = { heldBytes: 0 };
  const submit = (deviceId: number) =>
    new Promise<Outcome>((settled) => committer.submit(message(deviceId), holder, 0, settled));
  return { committer, gate, holder, submit };
}

const storeAll: Store = async (messages) => messages.map(() => 'stored');

test('settles every message once, as stored only when a transaction with it has succeeded, in order', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.boolean(), { maxLength: 3 }),
      fc.integer({ min: 1, max: 50 }),
      async (fails, count) => {
        const committed: number[] = [];
        const settled: number[] = [];
        const { committer, holder } = start(
          async (messages) => {
            if (fails.pop()) throw new Error('connection lost');
            committed.push(...messages.map(({ deviceId }) => deviceId));
            return messages.map(() => 'stored');
          },
          { rows: 7 },
        );
        for (let id = 0; id < count; id += 1) {
          committer.submit(message(id), holder, 10, (outcome) => {
            expect(outcome).toBe('stored');
            expect(committed).toContain(id);
            settled.push(id);
          });
        }
        await committer.drain(4_000);
        await committer.close();

        expect(settled).toEqual(Array.from({ length: count }, (_, id) => id));
        expect(holder.heldBytes).toBe(0);
      },
    ),
    { numRuns: 20 },
  );
});

test('gathers what arrives while a transaction is under way into the next one', async () => {
  const sizes: number[] = [];
  const first = Promise.withResolvers<void>();
  const { submit } = start(async (messages) => {
    sizes.push(messages.length);
    if (sizes.length === 1) await first.promise;
    return messages.map(() => 'stored');
  });
  const one = submit(1);
  await vi.waitFor(() => expect(sizes).toEqual([1]));
  const others = [2, 3, 4].map(submit);
  first.resolve();

  await Promise.all([one, ...others]);

  expect(sizes).toEqual([1, 3]);
});

test('lets go of a message that is not committed in time, and does not settle it again', async () => {
  const hung = Promise.withResolvers<void>();
  const { submit, holder } = start(
    async (messages) => {
      await hung.promise;
      return messages.map(() => 'stored');
    },
    { wait: 20 },
  );

  expect(await Promise.all([submit(1), submit(2)])).toEqual(['late', 'late']);
  hung.resolve();
  expect(holder.heldBytes).toBe(0);
});

test('closes the gate above its bound, refuses at twice the bound, and opens again', async () => {
  const hung = Promise.withResolvers<void>();
  const { submit, gate } = start(
    async (messages) => {
      await hung.promise;
      return messages.map(() => 'stored');
    },
    { heldBytes: 2 * 1_024 },
  );
  const held = [1, 2].map(submit);
  expect(gate.isOpen).toBe(true);
  held.push(submit(3), submit(4));
  expect(gate.isOpen).toBe(false);
  expect(await submit(5)).toBe('overloaded');

  hung.resolve();
  await Promise.all(held);

  expect(gate.isOpen).toBe(true);
});

test('bounds what one client holds', async () => {
  const { submit } = start(storeAll, { heldBytesPerClient: 1_024 });

  expect(await Promise.all([submit(1), submit(2)])).toEqual(['stored', 'overloaded']);
});

test('settles what a transaction has stored even where nothing follows it, or what follows hangs', async () => {
  const commits: PromiseWithResolvers<void>[] = [];
  const { submit } = start(async (messages) => {
    const commit = Promise.withResolvers<void>();
    commits.push(commit);
    await commit.promise;
    return messages.map(() => 'stored');
  });
  const first = submit(1);
  await vi.waitFor(() => expect(commits).toHaveLength(1));
  const second = submit(2);
  commits[0]?.resolve();

  expect(await first).toBe('stored');
  await vi.waitFor(() => expect(commits).toHaveLength(2));
  commits[1]?.resolve();
  expect(await second).toBe('stored');
});

test('settles as stored only what its own transaction has committed, one transaction at a time, while others fail', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.boolean(), { maxLength: 3 }),
      fc.infiniteStream(fc.nat(3)),
      async (fails, turns) => {
        const committed = new Set<number>();
        let settled = 0;
        let atOnce = 0;
        const { committer, holder } = start(
          async (messages) => {
            atOnce += 1;
            expect(atOnce).toBe(1);
            const wait = turns.next().value ?? 0;
            for (let turn = 0; turn < wait; turn += 1) await new Promise(setImmediate);
            atOnce -= 1;
            if (fails.pop()) throw new Error('connection lost');
            for (const { deviceId } of messages) committed.add(deviceId);
            return messages.map(() => 'stored');
          },
          { rows: 700 },
        );
        for (let id = 0; id < 2_000; id += 1) {
          committer.submit(message(id), holder, 0, (outcome) => {
            if (outcome === 'stored' && committed.has(id)) settled += 1;
          });
        }
        await committer.drain(6_000);
        await committer.close();

        expect(settled).toBe(2_000);
        expect(holder.heldBytes).toBe(0);
      },
    ),
    { numRuns: 8 },
  );
});
