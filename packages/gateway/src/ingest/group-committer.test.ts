import type { MessageToStore } from '@visitor-counter/database/ingest/store-messages';
import fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Backpressure } from '../backpressure/backpressure.ts';
import { type CommitLimits, defaultCommitLimits, GroupCommitter } from './group-committer.ts';
import type { IngestResult } from './isolate-failing-message.ts';

const message = (deviceId: number): MessageToStore => ({ deviceId, topic: 't', rejections: [] });

type Store = (messages: readonly MessageToStore[]) => Promise<readonly IngestResult[]>;

function start(store: Store, limits: Partial<CommitLimits> = {}, onFailure = () => {}) {
  const backpressure = new Backpressure();
  const committer = new GroupCommitter({
    store,
    backpressure,
    onFailure,
    limits: { ...defaultCommitLimits, ...limits },
  });
  onTestFinished(() => committer.close());
  const submit = (deviceId: number) => committer.submit(message(deviceId), 0);
  return { committer, backpressure, submit };
}

test('reports every message once, in order, and as stored only after its transaction has committed', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.boolean(), { maxLength: 3 }),
      fc.integer({ min: 1, max: 50 }),
      async (fails, count) => {
        const committed: number[] = [];
        const reported: { id: number; result: IngestResult; isCommitted: boolean }[] = [];
        const { committer } = start(
          async (messages) => {
            if (fails.pop()) throw new Error('connection lost');
            committed.push(...messages.map(({ deviceId }) => deviceId));
            return messages.map(() => 'stored');
          },
          { rows: 7 },
        );
        for (let id = 0; id < count; id += 1) {
          void committer.submit(message(id), 10).then((result) => {
            reported.push({ id, result, isCommitted: committed.includes(id) });
          });
        }
        await committer.drain(100_000);
        await committer.close();

        expect(reported).toEqual(
          Array.from({ length: count }, (_, id) => ({ id, result: 'stored', isCommitted: true })),
        );
        expect(committer.load).toEqual({ messages: 0, crossings: 0, bytes: 0 });
        expect(committer.pendingSince).toBeUndefined();
      },
    ),
    { numRuns: 20 },
  );
});

test('applies backpressure above its bound, refuses messages at twice the bound, and releases it again', async () => {
  const hung = Promise.withResolvers<void>();
  const { submit, backpressure } = start(
    async (messages) => {
      await hung.promise;
      return messages.map(() => 'stored');
    },
    { pauseAbove: 2 * 1_024 },
  );
  const pending = [1, 2].map(submit);
  expect(backpressure.isActive).toBe(false);
  pending.push(submit(3), submit(4));
  expect(backpressure.isActive).toBe(true);
  expect(await submit(5)).toBe('overloaded');

  hung.resolve();
  await Promise.all(pending);

  expect(backpressure.isActive).toBe(false);
});

test('ends with the transaction in flight, and stores and accepts nothing after it', async () => {
  const first = Promise.withResolvers<readonly IngestResult[]>();
  const store = vi.fn(() => first.promise);
  const { committer, submit } = start(store);
  const inFlight = submit(1);
  await expect.poll(() => store.mock.calls).toHaveLength(1);
  const pending = submit(2);
  let isClosed = false;
  const closing = committer.close().then(() => {
    isClosed = true;
  });

  expect(await submit(3)).toBe('overloaded');
  expect(isClosed).toBe(false);
  first.resolve(['stored']);
  await closing;

  expect(await Promise.all([inFlight, pending])).toEqual(['stored', 'late']);
  expect(store).toHaveBeenCalledOnce();
});
