import { backUp } from '@visitor-counter/test/backup';
import { expect, test } from 'vitest';
import { loseAll, recorded, unitAndGateway } from './commanded-unit.ts';

/** A ninth of all crossings as messages (bytes): with what the proxy reads beyond it, three of them are not all. */
const part = 40_000;
/** Crossings of a unit where their number does not matter. */
const few = 500;
const done = { state: 'done', problem: null, finished: true };

test('delivers a journal again over several connections, also after the unit was killed', async () => {
  const world = await unitAndGateway();
  const { startAgent, startGateway, order, stored, state, proxy, journal } = world;
  const killed = await loseAll(world, startAgent);
  const id = await order({ command: 'continue', journal, from: 1 });
  await startGateway();
  await proxy.refuseAfter(part);
  await killed.kill();
  proxy.carry();
  await startAgent();
  await proxy.refuseAfter(part);
  proxy.carry();
  await expect.poll(() => state(id)).toEqual(done);
  await expect.poll(stored).toBe(recorded);
});

test('after a restore, new orders are executed and old ones are not executed again', async () => {
  const { url, journal, startAgent, startGateway, order, configure, stored, state, revision } =
    await unitAndGateway(few);
  const restart = await order({ command: 'restart' });
  const older = await configure({ detector: { debounce: 9 } });
  const backup = await backUp(url);
  const before = await startGateway();
  const agent = await startAgent();
  const restarts = () => agent.output().match(/doors restarted/g)?.length;
  const isDone = (id: number) =>
    expect.poll(() => state(id)).toMatchObject({ state: 'done', finished: true });
  await isDone(restart);
  await isDone(await order({ command: 'identify' }));
  const newer = await configure({ detector: { debounce: 11 } });
  await expect.poll(revision).toBe(newer);
  await expect.poll(stored).toBe(few);
  await before.kill();

  await backup.restore();
  expect(await state(restart)).toMatchObject({ state: 'pending' });
  await startGateway();
  await isDone(restart);
  await expect.poll(revision).toBe(older);
  const latest = await configure({ detector: { debounce: 11 } });
  await expect.poll(revision).toBe(latest);
  const again = await order({ command: 'continue', journal, from: 1 });
  await isDone(again);
  await expect.poll(stored).toBe(few);
  expect(agent.output().match(/"command":\{"command":"restart"/g)).toHaveLength(1);
  /* Four times for settings, and once for the command. */
  expect(restarts()).toBe(5);
});

test('a unit that is ordered to begin a journal delivers its present one first', async () => {
  const { journal, startAgent, startGateway, order, stored, state, reportedJournal } =
    await unitAndGateway(few);
  const id = await order({ command: 'begin-journal', journal });
  await startAgent();
  await startGateway();
  await expect.poll(() => state(id)).toMatchObject({ state: 'done', finished: true });
  await expect.poll(stored).toBe(few);
  await expect.poll(reportedJournal).not.toBe(journal);
  expect(await reportedJournal()).toMatch(/^[0-9a-f]{32}$/);
  const again = await order({ command: 'begin-journal', journal });
  await expect.poll(() => state(again)).toMatchObject({ state: 'done' });
  const late = await order({ command: 'continue', journal, from: 1 });
  await expect.poll(() => state(late)).toEqual(done);
});
