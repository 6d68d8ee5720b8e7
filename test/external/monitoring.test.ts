import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startMonitoredServer } from '@visitor-counter/test/monitored-server';
import { monitoringFolder, panelQueries, withoutVariables } from '@visitor-counter/test/monitoring-files';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { expect, test } from 'vitest';
import { promtool, type RunningPrometheus, startPrometheus } from './monitoring/debian-prometheus.ts';

test('promtool accepts rules and configuration, and the alerts fire when they must', async () => {
  expect(await promtool(monitoringFolder, 'check', 'config', 'prometheus.yml')).toContain('SUCCESS');
  expect(await promtool(monitoringFolder, 'test', 'rules', 'visitor-counter.rules.test.yml')).toContain(
    'SUCCESS',
  );
});

test('Prometheus reads a real server, evaluates every rule, and answers the query of every panel', async () => {
  const server = await startMonitoredServer();
  const prometheus = await startPrometheus(await configurationFor(server.metricsPort));
  await expect.poll(() => healthOf(prometheus), { timeout: 100_000 }).toEqual(['up']);
  await server.causeEverything();

  const empty = () => emptyPanels(prometheus);
  await expect.poll(empty, { timeout: 90_000, interval: 2_000 }).toEqual([]);
  const { groups } = await prometheus.get('rules');
  const rules = groups.flatMap((group) => group.rules);
  expect(rules.filter(({ health }) => health !== 'ok')).toEqual([]);
  const active = rules.filter(({ state }) => state !== 'inactive').map(({ name }) => name);
  for (const name of [
    'VisitorCounterUnitSilent',
    'VisitorCounterMessagesRejected',
    'VisitorCounterClockWrong',
  ])
    expect(active).toContain(name);
  for (const name of ['VisitorCounterDown', 'VisitorCounterRoleMissing', 'VisitorCounterBackupOld'])
    expect(active).not.toContain(name);
});

/** The configuration of the product, for one server, which is read and evaluated every second. */
async function configurationFor(port: number): Promise<string> {
  const folder = await temporaryFolder();
  await cp(monitoringFolder, folder, { recursive: true });
  const file = join(folder, 'prometheus.yml');
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replaceAll('15s', '1s').replace('127.0.0.1:9465', `127.0.0.1:${port}`));
  return file;
}

async function healthOf(prometheus: RunningPrometheus): Promise<string[]> {
  const { activeTargets } = await prometheus.get('targets');
  return activeTargets.map(({ health }) => health);
}

/** The panels whose query has no value now, or none in the last minute. */
async function emptyPanels(prometheus: RunningPrometheus): Promise<string[]> {
  const end = Math.floor(Date.now() / 1_000);
  const range = { start: String(end - 60), end: String(end), step: '5' };
  const empty: string[] = [];
  for (const { where, expr } of panelQueries()) {
    const query = withoutVariables(expr, '30s');
    const now = await prometheus.get('query', { query });
    const lately = await prometheus.get('query_range', { query, ...range });
    if (now.result.length === 0 || lately.result.length === 0) empty.push(where);
  }
  return empty;
}
