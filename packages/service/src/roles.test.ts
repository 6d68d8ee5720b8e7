import { expect, onTestFinished, test } from 'vitest';
import { createLogger } from './logger.ts';
import { addGauge } from './metrics.ts';
import type { Role, RunningRole } from './roles.ts';
import { type StartRolesOptions, startRoles } from './roles.ts';

const log = createLogger('test', { LOG_LEVEL: 'silent' });

function options(roles: readonly Role[], migrate: StartRolesOptions['migrate'] = async () => {}) {
  const operator = { host: '127.0.0.1', port: 0, setting: 'METRICS_PORT' };
  const { signal: stopping } = new AbortController();
  return {
    roles,
    databaseUrl: '',
    migrate,
    operator,
    disks: ['/', '/no/such/folder'],
    log,
    logOf: () => log,
    stopping,
  };
}

function role(name: string, running: Partial<RunningRole> = {}): Role {
  return {
    name,
    start: async () => ({ ready: {}, problem: async () => undefined, close: async () => {}, ...running }),
  };
}

async function page(port: unknown, path: string) {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`);
  return [answer.status, await answer.json()];
}

test('is ready when all roles are, names the state of each, and is alive in any case', async () => {
  let problem: string | undefined;
  const running = await startRoles(
    options([role('one', { ready: { onePort: 1 } }), role('two', { problem: async () => problem })]),
  );
  onTestFinished(() => running.close());
  const { onePort, metricsPort: port } = running.ready;
  const states = (status: string, two: string) => ({ status, roles: { one: 'ok', two } });

  expect(onePort).toBe(1);
  for (const path of ['/health', '/ready']) expect(await page(port, path)).toEqual([200, states('ok', 'ok')]);

  problem = 'the database does not answer';
  for (const path of ['/health', '/ready']) {
    expect(await page(port, path)).toEqual([503, states('unavailable', problem)]);
  }
  expect(await page(port, '/live')).toEqual([200, { status: 'ok' }]);
});

test('shows what the operator should know about a role that is ready', async () => {
  let remark: string | undefined;
  const running = await startRoles(options([role('one', { remark: () => remark }), role('two')]));
  onTestFinished(() => running.close());
  const ready = () => page(running.ready['metricsPort'], '/ready');
  const state = { status: 'ok', roles: { one: 'ok', two: 'ok' } };

  expect(await ready()).toEqual([200, state]);
  remark = 'a login was refused';
  expect(await ready()).toEqual([200, { ...state, remarks: { one: remark } }]);
});

test('serves the metrics of all roles on one page', async () => {
  const measured = (name: string): Role => ({
    name,
    start: async (context) => {
      addGauge(context.metrics, `of_${name}`, 'A number.', () => 7);
      return role(name).start(context);
    },
  });
  const running = await startRoles(options([measured('one'), measured('two')]));
  onTestFinished(() => running.close());

  const text = await (await fetch(`http://127.0.0.1:${running.ready['metricsPort']}/metrics`)).text();

  expect(text).toMatch(/^of_one 7$/m);
  expect(text).toMatch(/^of_two 7$/m);
  expect(text).toMatch(/^process_resident_memory_bytes \d/m);
});

test('shows whether each role is ready, the clock, the memory, and the disks that can be read', async () => {
  let problem: string | undefined = 'the database does not answer';
  const running = await startRoles(options([role('one'), role('two', { problem: async () => problem })]));
  onTestFinished(() => running.close());
  const scrape = async () => (await fetch(`http://127.0.0.1:${running.ready['metricsPort']}/metrics`)).text();
  const before = Date.now() / 1_000;
  const text = await scrape();
  const value = (name: string) => Number(new RegExp(`^visitor_counter_${name} (.*)$`, 'm').exec(text)?.[1]);

  expect(text).toMatch(/^visitor_counter_ready{role="one"} 1$/m);
  expect(text).toMatch(/^visitor_counter_ready{role="two"} 0$/m);
  expect(value('clock_seconds')).toBeGreaterThanOrEqual(before);
  expect(value('memory_limit_bytes')).toBeGreaterThanOrEqual(value('memory_available_bytes'));
  expect(value('memory_available_bytes')).toBeGreaterThan(1e6);
  expect(value('disk_bytes{folder="/"}')).toBeGreaterThan(value('disk_available_bytes{folder="/"}'));
  expect(text).not.toContain('/no/such/folder');

  problem = undefined;
  expect(await scrape()).toMatch(/^visitor_counter_ready{role="two"} 1$/m);
});

test('serves its metrics even if the state of a role cannot be determined', async () => {
  const failing = role('failing', { problem: async () => Promise.reject(new Error('no connection')) });
  const running = await startRoles(options([failing]));
  onTestFinished(() => running.close());

  const text = await (await fetch(`http://127.0.0.1:${running.ready['metricsPort']}/metrics`)).text();

  expect(text).toMatch(/^visitor_counter_ready{role="failing"} 0$/m);
});

test('closes the other roles when one cannot start, even those that wait for the database', async () => {
  const closed: string[] = [];
  const running = role('running', { close: async () => void closed.push('running') });
  const waiting: Role = {
    name: 'waiting',
    start: async (context) => {
      await context.migrated.finally(() => closed.push('waiting'));
      return role('waiting').start(context);
    },
  };
  const failing: Role = { name: 'failing', start: async () => Promise.reject(new Error('port taken')) };
  const untilAborted = (signal: AbortSignal) =>
    new Promise<void>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

  await expect(startRoles(options([running, waiting, failing], untilAborted))).rejects.toThrow('port taken');

  expect(closed.sort()).toEqual(['running', 'waiting']);
});

test('is started while the database is unavailable, and fails when it then cannot be used', async () => {
  const refused = Promise.withResolvers<void>();
  const migrate = (_: AbortSignal, onUnavailable: () => void) => {
    onUnavailable();
    return refused.promise;
  };
  const running = await startRoles(options([role('api')], migrate));
  onTestFinished(() => running.close());

  refused.reject(new Error('the database is of a later release'));

  await expect(running.failure).rejects.toThrow('the database is of a later release');
});
