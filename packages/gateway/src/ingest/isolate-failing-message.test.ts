import type { MessageToStore } from '@visitor-counter/database/ingest/store-messages';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type StoreBatch, storeIsolatingFailures } from './isolate-failing-message.ts';

const message = (deviceId: number): MessageToStore => ({
  deviceId,
  topic: 't',
  batch: { journal: 'j', crossings: [{ sequence: 1, at: 1, direction: 1 }] },
  rejections: [],
});

/** The error of a database that refuses a statement. */
const refusal = (code: string) => Object.assign(new Error('refused'), { code });

test('stores all but the failing messages, stores those as rejected, and returns results in order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.boolean(), { maxLength: 40 }), async (failing) => {
      const stored = new Set<number>();
      const kept = new Set<number>();
      const store: StoreBatch = async (messages) => {
        if (messages.some(({ deviceId, batch }) => batch && failing[deviceId])) {
          throw refusal('22003');
        }
        for (const { deviceId, batch } of messages) (batch ? stored : kept).add(deviceId);
        return messages.map(() => 'stored');
      };

      const results = await storeIsolatingFailures(
        failing.map((_, id) => message(id)),
        store,
      );

      expect(results).toEqual(failing.map(() => 'stored'));
      for (const [id, isFailing] of failing.entries()) {
        expect([stored.has(id), kept.has(id)]).toEqual([!isFailing, isFailing]);
      }
    }),
  );
});

test('retries immediately after a deadlock or a serialization failure', async () => {
  const codes = ['40P01', '40001'];
  const store: StoreBatch = async (messages) => {
    const code = codes.pop();
    if (code !== undefined) throw refusal(code);
    return messages.map(() => 'stored');
  };

  expect(await storeIsolatingFailures([message(1)], store)).toEqual(['stored']);
});

test('returns unstorable for a message whose rejected copy cannot be stored either', async () => {
  const store: StoreBatch = async (messages) => {
    if (messages.some(({ deviceId }) => deviceId === 1)) throw refusal('23503');
    return messages.map(() => 'stored');
  };

  expect(await storeIsolatingFailures([message(1), message(2)], store)).toEqual(['unstorable', 'stored']);
});
