import { backUp } from '@visitor-counter/test/backup';
import type { UnitOrder } from '@visitor-counter/wire/gateway-messages';
import { expect, test } from 'vitest';
import { loseAll, oldest, recorded, unitAndGateway } from './commanded-unit.ts';

const resendAll = (): UnitOrder => ({ command: 'resend', from: Date.now() - 2 * oldest, until: Date.now() });
/** A ninth of all crossings as messages (bytes): with what the proxy reads beyond it, three of them are not all. */
const part = 40_000;
/** Crossings of a unit where their number does not matter. */
const few = 500;
const done = { state: 'done', sent: recorded, total: recorded, problem: null, missing: null, finished: true };

test('a resend continues after each disconnection, and is done when everything is sent', async () => {
  const world = await unitAndGateway();
  const { startGateway, order, stored, state, proxy } = world;
  const agent = await loseAll(world, world.startImpatientAgent);
  const id = await order(resendAll());
  await startGateway();
  for (let cut = 0; cut < 3; cut += 1) {
    await proxy.refuseAfter(part);
    proxy.carry();
  }
  await expect.poll(() => state(id)).toEqual(done);
  expect(await stored()).toBe(recorded);
  for (const message of ['resend started', 'resend done']) expect(agent.output()).toContain(`"${message}"`);
});

test('a resend begins again when the unit is killed and starts again', async () => {
  const world = await unitAndGateway();
  const { startAgent, startGateway, order, stored, state, proxy } = world;
  const killed = await loseAll(world, startAgent);
  const id = await order(resendAll());
  await startGateway();
  await proxy.refuseAfter(part);
  await killed.kill();
  proxy.carry();
  const agent = await startAgent();
  await expect.poll(() => state(id)).toEqual(done);
  expect(await stored()).toBe(recorded);
  for (const message of ['resend started', 'resend done']) expect(agent.output()).toContain(`"${message}"`);
});

test('after a restore, new orders are executed and old ones are not executed again', async () => {
  const { url, startAgent, startGateway, order, configure, stored, state, revision } =
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
  const resend = await order(resendAll());
  await isDone(resend);
  expect(await state(resend)).toEqual({ ...done, sent: few, total: few });
  expect(await stored()).toBe(few);
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
  expect(await stored()).toBe(few);
  await expect.poll(reportedJournal).not.toBe(journal);
  expect(await reportedJournal()).toMatch(/^[0-9a-f]{32}$/);
  const again = await order({ command: 'begin-journal', journal });
  await expect.poll(() => state(again)).toMatchObject({ state: 'done' });
  const late = await order({ command: 'resend', journal, first: 1, last: 10 });
  await expect.poll(() => state(late)).toMatchObject({ state: 'done', sent: 10, total: 10, missing: null });
});
