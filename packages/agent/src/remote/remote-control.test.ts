import { once } from 'node:events';
import { mkdir, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { createLogger } from '@visitor-counter/service/logger';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { expect, onTestFinished, test } from 'vitest';
import { acknowledge } from '../../test/temporary-journal.ts';
import type { Journal } from '../journal/journal.ts';
import { openJournal } from '../journal/open-journal.ts';
import { RemoteControl } from './remote-control.ts';
import { RemoteMemory, readRemoteState } from './remote-memory.ts';

const json = (value: unknown) => Buffer.from(JSON.stringify(value));

interface Door {
  /** Journal and state, which outlive a restart. */
  readonly folder?: string;
  /** Whether the server acknowledges sequences that are sent again. */
  readonly acknowledges?: (sequences: readonly number[]) => boolean | Promise<boolean>;
  /** Whether it is connected when it has something to send. */
  readonly connects?: boolean;
  /** Makes the message that answers the command `diagnose`. */
  readonly diagnose?: (id: number) => Promise<string>;
}

/** The journal that is open in each folder: a restart closes it first. */
const opened = new Map<string, Journal>();

/** A door with twelve acknowledged crossings that records its actions. */
async function startDoor({
  acknowledges = () => true,
  connects = true,
  diagnose = async () => '{}',
  folder,
}: Door = {}) {
  const done: string[] = [];
  const sent: number[] = [];
  const own = folder ?? (await temporaryFolder());
  const logged: string[] = [];
  const write = (line: string) => {
    const { level, msg }: { level: number; msg: string } = JSON.parse(line);
    if (level >= 40) logged.push(msg);
  };
  const log = createLogger('test', {}, { write });
  await opened.get(own)?.close();
  const journal = await openJournal(own);
  opened.set(own, journal);
  if (journal.recorded === 0)
    journal.append(Array.from({ length: 12 }, (_, index) => ({ at: index + 1, direction: 1 })));
  acknowledge(journal, 12);
  const uplink = {
    report: async () => {
      done.push(`report ${JSON.stringify(control.answers)}`);
      return true;
    },
    untilConnected: async (signal: AbortSignal) => {
      signal.throwIfAborted();
      if (!connects) await once(signal, 'abort');
      signal.throwIfAborted();
    },
    send: async () => true,
  };
  let isDelivering = false;
  const deliver = async () => {
    if (isDelivering || !connects) return;
    isDelivering = true;
    for (let batch = journal.next(2); batch; batch = journal.next(2)) {
      const sequences = batch.crossings.map(({ sequence }) => sequence);
      await setImmediate();
      if (!(await acknowledges(sequences))) continue;
      sent.push(...sequences);
      journal.acknowledge(batch);
    }
    isDelivering = false;
  };
  journal.changes.durable.add(() => void deliver());
  const orders = {
    identify: () => done.push('identify'),
    restartDoor: () => done.push('restart door'),
    restart: () => done.push('restart'),
  };
  const state = await readRemoteState(own);
  const memory = new RemoteMemory(state, own, log);
  const control = new RemoteControl({ memory, uplink, journal, diagnose, ...orders, log });
  onTestFinished(async () => {
    await control.stop();
    await control.processed();
    await journal.close();
  });
  const isIdle = () => expect.poll(() => memory.running).toEqual([]);
  const executed = () => done.filter((entry) => !entry.startsWith('report'));
  return { control, journal, done, executed, sent, folder: own, state, isIdle, logged };
}

test('stores valid settings, reports them, and restarts the door with them', async () => {
  const { control, done, folder } = await startDoor();
  const settings = { detector: { debounce: 12 }, uplink: { heartbeatSeconds: 30 } };
  control.receiveConfig(json({ revision: 3, settings }));
  await control.processed();
  expect(done).toEqual(['report {"config":{"revision":3}}', 'restart door']);
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
  expect(done).not.toContain('restart door');
  expect((await startDoor({ folder })).state).toMatchObject({ revision: 0, settings: {} });
});

test('executes a command once, in any order of ids, however often it is sent, also after a restart', async () => {
  const { control, executed, sent, folder } = await startDoor();
  for (let repeated = 0; repeated < 3; repeated += 1) {
    control.receiveCommand(json({ id: 900, command: 'identify' }));
    control.receiveCommand(json({ id: 5, command: 'resend', from: 3, until: 4 }));
    control.receiveCommand(json({ id: 40, command: 'restart' }));
  }
  await control.processed();
  await expect.poll(() => sent).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  expect(executed()).toEqual(['identify', 'restart']);
  expect(control.answers.commands).toContainEqual({ id: 40, state: 'running' });
  const after = await startDoor({ folder });
  after.control.start();
  for (const id of [40, 900]) after.control.receiveCommand(json({ id, command: 'restart' }));
  await after.control.processed();
  await after.isIdle();
  expect(after.executed()).toEqual([]);
  expect(after.control.answers.commands).toContainEqual({ id: 40, state: 'done' });
});

test('remembers a restart after many resends and other commands', async () => {
  const { control, executed, isIdle } = await startDoor();
  control.receiveCommand(json({ id: 1, command: 'restart' }));
  for (let id = 2; id < 200; id += 1) {
    control.receiveCommand(json({ id, command: id % 2 ? 'identify' : 'resend', from: 50, until: 60 }));
    await control.processed();
  }
  control.start();
  control.receiveCommand(json({ id: 1, command: 'restart' }));
  await control.processed();
  await isIdle();
  expect(executed().filter((entry) => entry === 'restart')).toHaveLength(1);
  expect(control.answers.commands).toHaveLength(16);
  expect(control.answers.commands?.[0]).toEqual({ id: 1, state: 'done' });
});

test('restarts only after it has stored the command, and only once', async () => {
  const { control, executed, folder } = await startDoor();
  /* A folder in the place of the unfinished file: nothing can be stored. */
  await mkdir(join(folder, 'remote.json.new'));
  const restart = async () => {
    control.receiveCommand(json({ id: 1, command: 'restart' }));
    await control.processed();
    return executed();
  };
  expect(await restart()).toEqual([]);
  expect(control.answers).toEqual({});
  await rmdir(join(folder, 'remote.json.new'));
  expect(await restart()).toEqual(['restart']);
  expect(await restart()).toEqual(['restart']);
});

test('reports the progress of a resend, and the sequences that the unit does not have', async () => {
  const { control, journal, sent, done, isIdle } = await startDoor();
  control.receiveCommand(json({ id: 5, command: 'resend', journal: journal.id, first: 9, last: 15 }));
  await control.processed();
  await isIdle();
  expect(sent).toEqual([9, 10, 11, 12]);
  const report = { id: 5, state: 'done', sent: 4, total: 4, missing: [[13, 15]] };
  await expect.poll(() => done.at(-1)).toBe(`report ${JSON.stringify({ commands: [report] })}`);
  expect(done[0]).toContain('"state":"running","sent":0,"total":4');
});

test('repeats a resend until it is acknowledged, and begins it again after a restart of the unit', async () => {
  let failures = 3;
  const stuck = new Promise<boolean>(() => {});
  const first = await startDoor({
    acknowledges: ([first = 0]) => {
      if (first > 6) return stuck;
      failures -= 1;
      return failures < 0;
    },
  });
  first.control.receiveCommand(json({ id: 5, command: 'resend', from: 3, until: 11 }));
  await expect.poll(() => first.sent).toEqual([3, 4, 5, 6]);
  expect(first.control.answers.commands).toEqual([{ id: 5, state: 'running', sent: 4, total: 9 }]);
  await first.control.stop();
  await first.journal.close();

  const second = await startDoor({ folder: first.folder });
  second.control.start();
  await second.isIdle();
  expect(second.sent).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  expect(second.control.answers.commands).toEqual([{ id: 5, state: 'done', sent: 9, total: 9 }]);
});

test('an acknowledgement of later crossings that were in flight does not end a resend', async () => {
  const { journal } = await startDoor({ connects: false });
  journal.append([{ at: 13, direction: 1 }]);
  const inFlight = journal.next(10);
  journal.continueFrom(journal.id, 4);

  if (inFlight) journal.acknowledge(inFlight);

  expect(journal.next(10)).toMatchObject({ crossings: { 0: { sequence: 4 }, length: 10 } });
});

test('sends crossings of an ended journal again while the unit has them', async () => {
  const { control, journal, isIdle, sent } = await startDoor();
  const ended = journal.id;
  control.receiveCommand(json({ id: 5, command: 'begin-journal', journal: ended }));
  control.receiveCommand(json({ id: 6, command: 'resend', journal: ended, first: 10, last: 11 }));
  await control.processed();
  await isIdle();
  expect(journal.id).not.toBe(ended);
  expect(sent.slice(0, 2)).toEqual([10, 11]);
  expect(control.answers.commands).toContainEqual({ id: 6, state: 'done', sent: 2, total: 2 });
});

test('reports all sequences of a journal that it does not have as missing, so that the server stops requesting them', async () => {
  const { control, isIdle } = await startDoor();
  control.receiveCommand(json({ id: 5, command: 'resend', journal: 'another', first: 1, last: 5 }));
  await control.processed();
  await isIdle();
  const problem = 'the unit no longer has these crossings of the journal another';
  expect(control.answers.commands).toEqual([
    { id: 5, state: 'done', sent: 0, total: 0, missing: [[1, 5]], problem },
  ]);
});

test('ends its journal once, and does nothing if that journal has ended before', async () => {
  const { control, journal, isIdle } = await startDoor();
  const before = journal.id;
  for (const id of [5, 6]) control.receiveCommand(json({ id, command: 'begin-journal', journal: before }));
  await control.processed();
  await isIdle();
  expect(journal.id).not.toBe(before);
  expect(journal.recorded).toBe(0);
  const id = journal.id;
  control.receiveCommand(json({ id: 7, command: 'begin-journal', journal: before }));
  await control.processed();
  await isIdle();
  expect(journal.id).toBe(id);
  expect(control.answers.commands).toEqual([7, 6, 5].map((order) => ({ id: order, state: 'done' })));
});

test('delivers what is pending of a journal that has ended', async () => {
  const { control, journal, isIdle } = await startDoor({ connects: false });
  journal.append([{ at: 13, direction: 1 }]);
  const ended = journal.id;
  control.receiveCommand(json({ id: 5, command: 'begin-journal', journal: ended }));
  await control.processed();
  await isIdle();
  expect(journal.id).not.toBe(ended);
  expect(control.answers.commands).toEqual([{ id: 5, state: 'done' }]);
  expect(journal.next(10)).toMatchObject({ journal: ended, crossings: [{ sequence: 13 }] });
});

test('diagnoses one command after the other, also during a resend, and reports why one failed', async () => {
  const begun: number[] = [];
  const { control, isIdle } = await startDoor({
    acknowledges: () => begun.length === 2,
    diagnose: async (id) => {
      begun.push(id);
      if (id === 7) throw new Error('no room');
      return '{}';
    },
  });
  control.receiveCommand(json({ id: 5, command: 'resend', from: 3, until: 4 }));
  control.receiveCommand(json({ id: 6, command: 'diagnose' }));
  control.receiveCommand(json({ id: 7, command: 'diagnose' }));
  control.receiveCommand(json({ id: 6, command: 'diagnose' }));
  await control.processed();
  await isIdle();
  expect(begun).toEqual([6, 7]);
  expect(control.answers.commands).toContainEqual({ id: 6, state: 'done' });
  expect(control.answers.commands).toContainEqual({ id: 7, state: 'failed', problem: 'no room' });
});

test('executes an interrupted diagnosis again after a restart', async () => {
  const first = await startDoor({ connects: false });
  first.control.receiveCommand(json({ id: 6, command: 'diagnose' }));
  await first.control.processed();
  await first.control.stop();
  const ids: number[] = [];
  const diagnose = async (id: number) => String(ids.push(id));
  const second = await startDoor({ folder: first.folder, diagnose });
  second.control.start();
  await second.isIdle();
  expect(ids).toEqual([6]);
  expect(second.control.answers.commands).toEqual([{ id: 6, state: 'done' }]);
});

test('ignores malformed messages', async () => {
  const { control, done } = await startDoor();
  control.receiveCommand(json({ id: 1, command: 'dance' }));
  control.receiveConfig(Buffer.from('{'));
  await control.processed();
  expect(done).toEqual([]);
});

test('does not wait at a stop for a diagnosis that is still being made', async () => {
  const { control, folder } = await startDoor({ diagnose: () => new Promise(() => {}) });
  control.receiveCommand(json({ id: 6, command: 'diagnose' }));
  await control.processed();

  await control.stop();

  expect((await startDoor({ folder })).state.commands).toMatchObject([{ state: 'running' }]);
});

test('logs some of the failures of orders that the gateway repeats', async () => {
  const { control, logged, folder } = await startDoor();
  await mkdir(join(folder, 'remote.json.new'));
  for (let round = 0; round < 20; round += 1) {
    control.receiveConfig(json({ revision: 3, settings: {} }));
    control.receiveCommand(json({ id: 1, command: 'dance' }));
  }
  await control.processed();
  for (const msg of ['command or settings failed', 'malformed command ignored'])
    expect(logged.filter((line) => line === msg)).toHaveLength(3);
});
