import { createLogger } from '@visitor-counter/service/logger';
import { expect, test } from 'vitest';
import { type MemoryFiles, memoryFileSystem } from '../journal/testing/memory-file-system.ts';
import { RemoteControl } from './remote-control.ts';
import { readRemoteState } from './remote-state.ts';

const json = (value: unknown) => Buffer.from(JSON.stringify(value));

/** A door that notes what it is told to do, on files that outlive a restart. */
async function startDoor(contents: MemoryFiles = new Map()) {
  const done: string[] = [];
  const files = memoryFileSystem(contents);
  const log = createLogger('test', { LOG_LEVEL: 'silent' });
  const uplink = {
    report: async () => void done.push(`answer ${JSON.stringify(control.answers)}`),
    resend: async ({ from, until }: { from: number; until: number }) =>
      void done.push(`resend ${from} ${until}`),
  };
  const orders = {
    identify: () => done.push('identify'),
    startAnew: () => done.push('start anew'),
    restart: () => done.push('restart'),
  };
  const state = await readRemoteState(files, '/');
  const control = new RemoteControl(state, { files, folder: '/', uplink, ...orders, log });
  return { control, done, contents, state };
}

test('settings that can be used are kept, answered, and taken up by a door that starts anew', async () => {
  const { control, done, contents } = await startDoor();
  const settings = { detector: { debounce: 12 }, uplink: { heartbeatSeconds: 30 } };
  control.hearConfig(json({ revision: 3, settings }));
  await control.settled();
  expect(done).toEqual(['answer {"config":{"revision":3}}', 'start anew']);
  const after = await startDoor(contents);
  expect(after.state.settings).toEqual(settings);
  after.control.hearConfig(json({ revision: 3, settings }));
  await after.control.settled();
  expect(after.done).toEqual(['answer {"config":{"revision":3}}']);
});

test('settings that cannot be used change nothing, and the answer names the key', async () => {
  const { control, done, contents } = await startDoor();
  for (const settings of [{ server: 'mqtt://elsewhere' }, { detector: { debounce: 'x' } }]) {
    control.hearConfig(json({ revision: done.length + 1, settings }));
    await control.settled();
  }
  expect(done[0]).toMatch(/"revision":1,"problem":"server/);
  expect(done[1]).toMatch(/"revision":2,"problem":"detector.debounce/);
  expect(done).not.toContain('start anew');
  expect((await startDoor(contents)).state).toMatchObject({ revision: 0, settings: {} });
});

test('a command is done once, however often it is said, also over a restart', async () => {
  const { control, done, contents } = await startDoor();
  for (let said = 0; said < 3; said += 1) {
    control.hearCommand(json({ id: 4, command: 'identify' }));
    control.hearCommand(json({ id: 5, command: 'resend', from: 1, until: 2 }));
    control.hearCommand(json({ id: 6, command: 'restart' }));
  }
  await control.settled();
  const orders = (list: string[]) => list.filter((entry) => !entry.startsWith('answer'));
  expect(orders(done)).toEqual(['identify', 'resend 1 2', 'restart']);
  expect(done.at(-1)).toBe(
    'answer {"commands":[{"id":6,"state":"done"},{"id":5,"state":"done"},{"id":4,"state":"done"}]}',
  );
  const after = await startDoor(contents);
  after.control.hearCommand(json({ id: 6, command: 'restart' }));
  await after.control.settled();
  expect(orders(after.done)).toEqual([]);
});

test('what cannot be read is passed over', async () => {
  const { control, done } = await startDoor();
  control.hearCommand(json({ id: 1, command: 'dance' }));
  control.hearConfig(Buffer.from('{'));
  await control.settled();
  expect(done).toEqual([]);
});
