import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Sample, startMonitoredServer } from '@visitor-counter/test/monitored-server';
import { alertRules, panelQueries } from '@visitor-counter/test/monitoring-files';
import { expect, test } from 'vitest';

/** Labels that Prometheus adds to every sample. */
const ofPrometheus = ['job', 'instance'];

/** The labels of a metric that a query needs, with their values where the query names one. */
interface Need {
  readonly metric: string;
  readonly matchers: readonly (readonly [label: string, value: string | undefined])[];
}

/** The metrics of this product and of Node in a query, with what is in their braces. */
function needsOf(expr: string): Need[] {
  const metrics = [...expr.matchAll(/\b((?:visitor_counter|process|nodejs)_\w+)(?:\{([^}]*)\})?/g)];
  return metrics.map(([, metric = '', braces = '']) => {
    const matchers = [...braces.matchAll(/(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"/g)];
    return {
      metric,
      matchers: matchers
        .map(([, label = '', operator, value]) => [label, operator === '=' ? value : undefined] as const)
        .filter(([label]) => !ofPrometheus.includes(label)),
    };
  });
}

/** Why the samples do not have what the query needs. */
function lacks({ metric, matchers }: Need, samples: readonly Sample[]): string[] {
  const series = samples.filter(({ name }) => name === metric);
  if (series.length === 0) return [`no metric ${metric}`];
  return matchers
    .filter(([label, value]) =>
      series.every(({ labels }) => (value === undefined ? !(label in labels) : labels[label] !== value)),
    )
    .map(([label, value]) => `${metric} has no ${label}="${value ?? '…'}"`);
}

/** The labels by which a query groups, and those that its text uses, that no metric of the query has. */
function unknownLabels(expr: string, used: readonly string[], samples: readonly Sample[]): string[] {
  const metrics = needsOf(expr).map(({ metric }) => metric);
  const series = samples.filter(({ name }) => metrics.includes(name));
  const known = new Set([...series.flatMap(({ labels }) => Object.keys(labels)), ...ofPrometheus]);
  const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, names = '']) => names.split(/,\s*/));
  return [...grouped, ...used].filter((label) => !known.has(label)).map((label) => `no label ${label}`);
}

/** The needs of the queries of all rules and panels that the samples do not have. */
function problemsIn(samples: readonly Sample[]): string[] {
  return [...alertRules(), ...panelQueries()].flatMap(({ where, expr, labels }) => {
    const found = [
      ...needsOf(expr).flatMap((need) => lacks(need, samples)),
      ...unknownLabels(expr, labels, samples),
    ];
    return found.map((problem) => `${where}: ${problem}`);
  });
}

test('a real server has every metric, label and label value of the rules and the dashboard', async () => {
  const server = await startMonitoredServer();
  await server.causeEverything();
  let samples: Awaited<ReturnType<typeof server.scrape>> = [];
  const problems = async () => {
    samples = await server.scrape();
    return problemsIn(samples);
  };
  await expect.poll(problems).toEqual([]);
  const value = (name: string, labels: Record<string, string> = {}) =>
    samples.find(
      (sample) =>
        sample.name === `visitor_counter_${name}` &&
        Object.entries(labels).every(([label, text]) => sample.labels[label] === text),
    )?.value;

  expect(value('crossings_total', { state: 'stored' })).toBe(1);
  expect(value('rejected_total', { reason: 'instant' })).toBe(1);
  expect(value('devices_in_trouble', { trouble: 'silent' })).toBe(1);
  expect(value('certificate_expires_seconds')).toBe(server.expires / 1_000);
  expect(value('backup_taken_seconds')).toBeLessThan(Date.now() / 1_000 - 3_500);
});

test('the runbook has a section for every alert, and for nothing else', () => {
  const runbook = readFileSync(join(import.meta.dirname, '../../docs/runbook.md'), 'utf8');
  const headings = [...runbook.matchAll(/^### (VisitorCounter\w+)$/gm)].map(([, name]) => name);
  const alerts = alertRules();

  expect(headings).toEqual([...new Set(alerts.map(({ where }) => where))]);
  for (const { where, runbook: link } of alerts) expect(link).toBe(`docs/runbook.md#${where.toLowerCase()}`);
});
