import { EventEmitter } from 'node:events';
import type { MqttClient } from 'mqtt';
import { expect, test, vi } from 'vitest';
import type { Journal } from '../journal/journal.ts';
import { CommitWatch } from './commit-watch.ts';
import { CommittedWindow } from './committed-window.ts';
import { defaultUplinkSettings } from './uplink-settings.ts';

test('frees the journal on a commit after the end, and leaves no timer', async () => {
  vi.useFakeTimers();
  const client = Object.assign(new EventEmitter(), { subscribeAsync: async () => [{ qos: 1 }] });
  const acknowledged: number[] = [];
  const journal = { id: 'j', acknowledged: 0, acknowledge: (through: number) => acknowledged.push(through) };
  const window = new CommittedWindow({ through: 0, at: 0 }, 3);
  const watch = new CommitWatch(client as unknown as MqttClient, {
    ...{ serial: 'CU-1', journal: journal as unknown as Journal, window, settings: defaultUplinkSettings },
    send: () => {},
  });
  await watch.subscribe();
  for (const through of [10, 20]) window.addSent({ first: through - 9, through, at: through });
  watch.messageSent();

  watch.stop();
  client.emit('message', 'counter/v1/CU-1/committed', Buffer.from('{"journal":"j","through":10}'));

  expect(acknowledged).toEqual([10]);
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});
