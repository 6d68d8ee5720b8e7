import { cpus, totalmem } from 'node:os';
import { table } from '@visitor-counter/admin/command/text';
import { median } from './median.ts';

/** A measured figure, with one value per round. */
export interface Figure {
  readonly name: string;
  readonly unit: string;
  readonly values: readonly number[];
}

/** A target. A ratio has the unit ''. */
export interface Target {
  readonly name: string;
  readonly unit: string;
  readonly value: number;
  readonly expected: { readonly atLeast: number } | { readonly below: number };
}

export interface Measured {
  readonly figures: readonly Figure[];
  readonly targets: readonly Target[];
  /** Skipped measurements, with the reasons. */
  readonly skipped?: readonly string[];
}

/** Prints what is measured now. */
export function showProgress(text: string): void {
  console.error(text);
}

/** A figure that is measured once. */
export function once(name: string, unit: string, value: number): Figure {
  return { name, unit, values: [value] };
}

export function atLeast(name: string, value: number, bound: number): Target {
  return { name, unit: '', value, expected: { atLeast: bound } };
}

export function below(name: string, value: number, unit: string, bound: number): Target {
  return { name, unit, value, expected: { below: bound } };
}

/** The median of the ratios of two figures in the same round. */
export function ratio(figure: Figure, by: Figure): number {
  return median(figure.values.map((value, round) => value / (by.values[round] ?? Number.NaN)));
}

/** The report for people. */
export function reportText({ figures, targets, skipped = [] }: Measured): string {
  const measured = figures.map(({ name, unit, values }) => {
    const spread = values.length > 1 ? `${shown(Math.min(...values))} to ${shown(Math.max(...values))}` : '';
    return [name, shown(median(values)), unit, spread];
  });
  const judged = targets.map(({ name, unit, value, expected }) => {
    const bound = 'atLeast' in expected ? `at least ${expected.atLeast}` : `below ${expected.below}`;
    return [name, shown(value), unit, bound, holds({ value, expected }) ? 'holds' : 'does not hold'];
  });
  return [
    machineText(),
    table(['measured', 'median', '', 'of the rounds'], aligned(measured)),
    table(['target', 'here', '', 'expected', ''], aligned(judged)),
    ...skipped.map((text) => `not measured: ${text}`),
  ].join('\n\n');
}

/** The report as one JSON document. */
export function reportJson(measured: Measured, options: Readonly<Record<string, unknown>>): string {
  const { figures, targets, skipped = [] } = measured;
  return JSON.stringify({
    machine: machine(),
    options,
    figures: figures.map((figure) => ({ ...figure, median: median(figure.values) })),
    targets: targets.map((target) => ({ ...target, holds: holds(target) })),
    skipped,
  });
}

function holds({ value, expected }: Pick<Target, 'value' | 'expected'>): boolean {
  return 'atLeast' in expected ? value >= expected.atLeast : value < expected.below;
}

function machine() {
  return {
    processors: cpus().length,
    model: cpus()[0]?.model.trim() ?? 'unknown',
    memory: Math.round(totalmem() / 1024 ** 3),
    platform: process.platform,
    node: process.version,
  };
}

function machineText(): string {
  const { processors, model, memory, platform, node } = machine();
  return `${processors} processors (${model}), ${memory} GiB, ${platform}, Node ${node}`;
}

function shown(value: number): string {
  if (value >= 1_000) return Math.round(value).toLocaleString('en-US');
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

/** Aligns the numbers of the second column to the right. */
function aligned(rows: readonly string[][]): string[][] {
  const width = Math.max(0, ...rows.map((row) => row[1]?.length ?? 0));
  return rows.map(([name = '', value = '', ...rest]) => [name, value.padStart(width), ...rest]);
}
