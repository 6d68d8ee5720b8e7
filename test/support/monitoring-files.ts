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
  readonly runbook: string;
}

interface RuleFile {
  readonly groups: readonly {
    readonly rules: readonly {
      readonly alert: string;
      readonly expr: string;
      readonly annotations: { readonly summary: string; readonly runbook: string };
    }[];
  }[];
}

/** The alerts of `visitor-counter.rules.yml`. */
export function alertRules(): AlertRule[] {
  const { groups }: RuleFile = parse(read('visitor-counter.rules.yml'));
  return groups
    .flatMap(({ rules }) => rules)
    .map(({ alert, expr, annotations: { summary, runbook } }) => {
      const labels = [...summary.matchAll(/\$labels\.(\w+)/g)].map(([, label = '']) => label);
      return { where: alert, expr, labels, runbook };
    });
}

interface Dashboard {
  readonly panels: readonly {
    readonly title: string;
    readonly targets?: readonly {
      readonly refId: string;
      readonly expr: string;
      readonly legendFormat: string;
    }[];
  }[];
}

/** The queries of all panels. */
export function panelQueries(): Query[] {
  const { panels }: Dashboard = JSON.parse(read('grafana-dashboard.json'));
  return panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ refId, expr, legendFormat }) => {
      const labels = [...legendFormat.matchAll(/{{(\w+)}}/g)].map(([, label = '']) => label);
      return { where: `panel "${title}" ${refId}`, expr, labels };
    }),
  );
}

function read(name: string): string {
  return readFileSync(join(monitoringFolder, name), 'utf8');
}
