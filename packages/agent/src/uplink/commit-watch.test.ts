import { EventEmitter } from 'node:events';
import type { MqttClient } from 'mqtt';
import { expect, test, vi } from 'vitest';
import type { Journal } from '../journal/journal.ts';
import { CommitWatch } from './commit-watch.ts';
import { CommittedDelivery } from './committed-delivery.ts';
import { defaultUplinkSettings } from './uplink-settings.ts';

test('frees the journal by what is committed after the end, and keeps no timer', async () => {
  vi.useFakeTimers();
  const client = Object.assign(new EventEmitter(), { subscribeAsync: async () => [{ qos: 1 }] });
  const acknowledged: number[] = [];
  const journal = { id: 'j', acknowledged: 0, acknowledge: (through: number) => acknowledged.push(through) };
  const delivery = new CommittedDelivery({ through: 0, at: 0 }, 3);
  const watch = new CommitWatch(client as unknown as MqttClient, {
    ...{ serial: 'CU-1', journal: journal as unknown as Journal, delivery, settings: defaultUplinkSettings },
    send: () => {},
  });
  await watch.listen();
  for (const through of [10, 20]) delivery.sent({ first: through - 9, through, at: through });
  watch.sent();

  watch.stop();
  client.emit('message', 'counter/v1/CU-1/committed', Buffer.from('{"journal":"j","through":10}'));

  expect(acknowledged).toEqual([10]);
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});
