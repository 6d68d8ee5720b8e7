import { mkdir, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createLogger } from '@visitor-counter/service/logger';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { expect, onTestFinished, test } from 'vitest';
import { acknowledge } from '../../test/temporary-journal.ts';
import { type Journal, openJournal } from '../journal/journal.ts';
import { RemoteControl } from './remote-control.ts';
import { readRemoteState } from './remote-state.ts';

const json = (value: unknown) => Buffer.from(JSON.stringify(value));

interface Door {
  /** Journal and state, which outlive a restart. */
  readonly folder?: string;
  /** Makes the message that answers the command `diagnose`. */
  readonly diagnose?: (id: number) => Promise<string>;
  /** Whether the server acknowledges a diagnosis. */
  readonly connects?: boolean;
}

/** The journal that is open in each folder: a restart closes it first. */
const opened = new Map<string, Journal>();

/** A door with twelve acknowledged crossings that records its actions. */
async function startDoor({ diagnose = async () => '{}', connects = true, folder }: Door = {}) {
  const done: string[] = [];
  const own = folder ?? (await temporaryFolder());
  const logged: string[] = [];
  const write = (line: string) => {
    const { level, msg }: { level: number; msg: string } = JSON.parse(line);
    if (level >= 40) logged.push(msg);
  };
  const log = createLogger('test', {}, { write });
  await opened.get(own)?.close();
  const journal = await openJournal(own, { keepFor: 1e12 });
  opened.set(own, journal);
  if (journal.recorded === 0)
    journal.append(Array.from({ length: 12 }, (_, index) => ({ at: index + 1, direction: 1 })));
  acknowledge(journal, 12);
  const uplink = {
    report: async () => {
      done.push(`report ${JSON.stringify(control.answers)}`);
      return true;
    },
    send: async () => connects,
  };
  const orders = {
    identify: () => done.push('identify'),
    restart: () => done.push('restart'),
    requestUpdate: async (version: string | null) => void done.push(`update ${version}`),
  };
  const state = await readRemoteState(own);
  const control = new RemoteControl({ state, folder: own, uplink, journal, diagnose, ...orders, log });
  onTestFinished(async () => {
    control.stop();
    await control.processed();
    await journal.close();
  });
  const receive = async (...commands: object[]) => {
    for (const command of commands) control.receiveCommand(json(command));
    await control.processed();
  };
  const executed = () => done.filter((entry) => !entry.startsWith('report'));
  return { control, receive, journal, done, executed, folder: own, state, logged };
}

test('stores valid settings, reports them, and restarts the door with them', async () => {
  const { control, done, folder } = await startDoor();
  const settings = { detector: { debounce: 12 }, uplink: { heartbeatSeconds: 30 } };
  control.receiveConfig(json({ revision: 3, settings }));
  await control.processed();
  expect(done).toEqual(['report {"config":{"revision":3}}', 'restart']);
  const after = await startDoor({ folder });
  expect(after.state.settings).toEqual(settings);
  after.control.receiveConfig(json({ revision: 3, settings }));
  await after.control.processed();
  expect(after.done).toEqual(['report {"config":{"revision":3}}']);
});

test('adopts any other revision of settings, larger or smaller', async () => {
  const { control, done, executed } = await startDoor();
  for (const revision of [2 ** 48, 7, 2 ** 48]) {
    control.receiveConfig(json({ revision, settings: { detector: { debounce: 9 } } }));
    await control.processed();
    expect(control.answers).toEqual({ config: { revision } });
  }
  expect(executed()).toHaveLength(3);
  control.receiveConfig(json({ revision: 8, settings: { detector: { debounce: 'x' } } }));
  control.receiveConfig(json({ revision: 2 ** 48, settings: { detector: { debounce: 9 } } }));
  await control.processed();
  expect(executed()).toHaveLength(3);
  expect(done.at(-1)).toBe(`report {"config":{"revision":${2 ** 48}}}`);
});

test('refuses invalid settings without any change, and reports the key', async () => {
  const { control, done, folder } = await startDoor();
  for (const settings of [{ server: 'mqtt://elsewhere' }, { detector: { debounce: 'x' } }]) {
    control.receiveConfig(json({ revision: done.length + 1, settings }));
    await control.processed();
  }
  expect(done[0]).toMatch(/"revision":1,"problem":"server/);
  expect(done[1]).toMatch(/"revision":2,"problem":"detector.debounce/);
  expect(done).not.toContain('restart');
  expect((await startDoor({ folder })).state).toMatchObject({ revision: 0, settings: {} });
});

test('executes a command once, in any order of ids, however often it is sent', async () => {
  const { control, receive, executed, done } = await startDoor();
  for (let repeated = 0; repeated < 3; repeated += 1)
    await receive(
      { id: 900, command: 'identify' },
      { id: 40, command: 'restart' },
      { id: 5, command: 'identify' },
    );
  expect(executed()).toEqual(['identify', 'restart', 'identify']);
  expect(control.answers.commands).toEqual([
    { id: 5, state: 'done' },
    { id: 40, state: 'running' },
    { id: 900, state: 'done' },
  ]);
  expect(done).toHaveLength(3 + 9);
});

test('completes a restart with the next start, and remembers it after many other commands', async () => {
  const first = await startDoor();
  await first.receive({ id: 1, command: 'restart' });
  const { receive, executed, control } = await startDoor({ folder: first.folder });
  await receive({ id: 1, command: 'restart' });
  expect(control.answers.commands).toEqual([{ id: 1, state: 'done' }]);
  for (let id = 2; id < 200; id += 1) await receive({ id, command: 'identify' });
  await receive({ id: 1, command: 'restart' });
  expect(executed()).not.toContain('restart');
  expect(control.answers.commands).toHaveLength(16);
  expect(control.answers.commands?.[0]).toEqual({ id: 1, state: 'done' });
});

test('restarts only after it has stored the command, and only once', async () => {
  const { control, receive, executed, folder } = await startDoor();
  /* A folder in the place of the unfinished file: nothing can be stored. */
  await mkdir(join(folder, 'remote.json.new'));
  await receive({ id: 1, command: 'restart' });
  expect(executed()).toEqual([]);
  expect(control.answers).toEqual({});
  await rmdir(join(folder, 'remote.json.new'));
  await receive({ id: 1, command: 'restart' }, { id: 1, command: 'restart' });
  expect(executed()).toEqual(['restart']);
});

test('delivers a journal again from the sequence that the server names, and fails for crossings that it does not have', async () => {
  const { control, receive, journal } = await startDoor();
  await receive({ id: 5, command: 'continue', journal: journal.id, from: 9 });
  expect(journal.next(10)?.crossings.map(({ sequence }) => sequence)).toEqual([9, 10, 11, 12]);
  expect(control.answers.commands).toEqual([{ id: 5, state: 'done' }]);
  await receive({ id: 6, command: 'continue', journal: journal.id, from: 13 });
  expect(journal).toMatchObject({ pending: 4, lost: [] });
  await receive({ id: 7, command: 'continue', journal: 'another', from: 3 });
  const problem = 'the unit does not have these crossings';
  expect(control.answers.commands?.slice(0, 2)).toEqual(
    [7, 6].map((id) => ({ id, state: 'failed', problem })),
  );
});

test('an acknowledgement of later crossings that were in flight does not end the redelivery', async () => {
  const { receive, journal } = await startDoor();
  journal.append([{ at: 13, direction: 1 }]);
  const inFlight = journal.next(10);
  await receive({ id: 5, command: 'continue', journal: journal.id, from: 4 });

  if (inFlight) journal.acknowledge(inFlight);

  expect(journal.next(10)).toMatchObject({ crossings: { 0: { sequence: 4 }, length: 10 } });
});

test('ends its journal once, and does nothing if that journal has ended before', async () => {
  const { control, receive, journal } = await startDoor();
  const before = journal.id;
  for (const id of [5, 6]) await receive({ id, command: 'begin-journal', journal: before });
  const { id: after } = journal;
  expect(after).not.toBe(before);
  expect(journal.recorded).toBe(0);
  await receive({ id: 7, command: 'begin-journal', journal: before });
  expect(journal.id).toBe(after);
  expect(control.answers.commands).toEqual([7, 6, 5].map((id) => ({ id, state: 'done' })));
});

test('makes one diagnosis after the other, and reports why one failed', async () => {
  const begun: number[] = [];
  const { control, receive } = await startDoor({
    diagnose: async (id) => {
      begun.push(id);
      if (id === 7) throw new Error('no room');
      return '{}';
    },
  });
  await receive(
    { id: 6, command: 'diagnose' },
    { id: 7, command: 'diagnose' },
    { id: 6, command: 'diagnose' },
  );
  await expect
    .poll(() => control.answers.commands)
    .toEqual(
      expect.arrayContaining([
        { id: 6, state: 'done' },
        { id: 7, state: 'failed', problem: 'no room' },
      ]),
    );
  expect(begun).toEqual([6, 7]);
});
