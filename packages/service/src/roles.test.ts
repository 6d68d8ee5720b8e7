import { expect, onTestFinished, test } from 'vitest';
import { createLogger } from './logger.ts';
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
