import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

/** The folder with the rules for Prometheus and the dashboard for Grafana. */
export const monitoringFolder: string = join(import.meta.dirname, '../../packages/server/monitoring');

/** A query of a rule or a panel. */
export interface Query {
  /** The alert, or the panel. */
  readonly where: string;
  /** PromQL, with the variables of Grafana. */
  readonly expr: string;
  /** The names of labels that the text around the query uses. */
  readonly labels: readonly string[];
}

export interface AlertRule extends Query {
  /** How long its query must have a value before it fires, such as `5m`; undefined if it fires at once. */
  readonly lasts: string | undefined;
  readonly severity: string;
  readonly summary: string;
  readonly runbook: string;
}

interface RuleFile {
  readonly groups: readonly {
    readonly rules: readonly {
      readonly alert: string;
      readonly expr: string;
      readonly for?: string;
      readonly labels: { readonly severity: string };
      readonly annotations: { readonly summary: string; readonly runbook: string };
    }[];
  }[];
}

/** The alerts of `visitor-counter.rules.yml`. */
export function alertRules(): AlertRule[] {
  const { groups }: RuleFile = parse(read('visitor-counter.rules.yml'));
  return groups
    .flatMap(({ rules }) => rules)
    .map(({ alert, expr, for: lasts, labels: { severity }, annotations: { summary, runbook } }) => {
      const labels = [...summary.matchAll(/\$labels\.(\w+)/g)].map(([, label = '']) => label);
      return { where: alert, expr, lasts, labels, severity, summary, runbook };
    });
}

/** A panel of the dashboard, as far as tests use it. */
export interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly datasource?: unknown;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly {
    readonly refId: string;
    readonly expr: string;
    readonly legendFormat: string;
    readonly datasource: unknown;
    readonly instant: boolean;
  }[];
}

export interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly schemaVersion: number;
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly name: string; readonly type: string }[] };
}

export function dashboard(): Dashboard {
  return JSON.parse(read('grafana-dashboard.json'));
}

/** The queries of all panels. */
export function panelQueries(): Query[] {
  return dashboard().panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ refId, expr, legendFormat }) => {
      const labels = [...legendFormat.matchAll(/{{(\w+)}}/g)].map(([, label = '']) => label);
      return { where: `panel "${title}" ${refId}`, expr, labels };
    }),
  );
}

/** A query as Grafana sends it, for all processes. */
export function withoutVariables(expr: string, interval: string): string {
  return expr.replaceAll('$__rate_interval', interval).replaceAll('$instance', '.*');
}

function read(name: string): string {
  return readFileSync(join(monitoringFolder, name), 'utf8');
}
