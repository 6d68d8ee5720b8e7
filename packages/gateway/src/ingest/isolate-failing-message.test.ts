import type { MessageToStore } from '@visitor-counter/database/ingest/store-messages';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type StoreBatch, storeAroundPoison } from './isolate-failing-message.ts';

const message = (deviceId: number): MessageToStore => ({
  deviceId,
  topic: 't',
  batch: { journal: 'j', crossings: [{ sequence: 1, at: 1, direction: 1 }] },
  rejections: [],
});

class DatabaseRefusal extends Error {
  readonly code: string;

  constructor(code: string) {
    super('refused');
    this.code = code;
  }
}

test('stores all but the poisoned messages, keeps those as rejected, and answers in order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.boolean(), { maxLength: 40 }), async (poisoned) => {
      const stored = new Set<number>();
      const kept = new Set<number>();
      const store: StoreBatch = async (messages) => {
        if (messages.some(({ deviceId, batch }) => batch && poisoned[deviceId])) {
          throw new DatabaseRefusal('22003');
        }
        for (const { deviceId, batch } of messages) (batch ? stored : kept).add(deviceId);
        return messages.map(() => 'stored');
      };

      const outcomes = await storeAroundPoison(
        poisoned.map((_, id) => message(id)),
        store,
      );

      expect(outcomes).toEqual(poisoned.map(() => 'stored'));
      for (const [id, isPoisoned] of poisoned.entries()) {
        expect([stored.has(id), kept.has(id)]).toEqual([!isPoisoned, isPoisoned]);
      }
    }),
  );
});

test('tries again at once when two writers were in each other’s way', async () => {
  const codes = ['40P01', '40001'];
  const store: StoreBatch = async (messages) => {
    const code = codes.pop();
    if (code !== undefined) throw new DatabaseRefusal(code);
    return messages.map(() => 'stored');
  };

  expect(await storeAroundPoison([message(1)], store)).toEqual(['stored']);
});

test('leaves it to its caller when the database is away', async () => {
  const store: StoreBatch = async () => {
    throw new DatabaseRefusal('57P01');
  };

  await expect(storeAroundPoison([message(1), message(2)], store)).rejects.toThrow('refused');
});

test('gives up a message of which not even the rejected copy can be kept', async () => {
  const store: StoreBatch = async (messages) => {
    if (messages.some(({ deviceId }) => deviceId === 1)) throw new DatabaseRefusal('23503');
    return messages.map(() => 'stored');
  };

  expect(await storeAroundPoison([message(1), message(2)], store)).toEqual(['unstorable', 'stored']);
});
