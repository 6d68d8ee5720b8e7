import { table } from '../command/text.ts';

export const statuses = ['ok', 'warning', 'problem'] as const;

/** A warning can become a problem; with a problem, crossings or answers are missing now, or can be lost. */
export type Status = (typeof statuses)[number];

/** The result of one check. */
export interface Finding {
  /** What was checked, such as `certificates`. */
  readonly check: string;
  readonly status: Status;
  /** What is, as a fact. */
  readonly finding: string;
  /** What the operator should do; null if nothing. */
  readonly advice: string | null;
}

export function ok(check: string, finding: string): Finding {
  return { check, status: 'ok', finding, advice: null };
}

export function warning(check: string, finding: string, advice: string): Finding {
  return { check, status: 'warning', finding, advice };
}

export function problem(check: string, finding: string, advice: string): Finding {
  return { check, status: 'problem', finding, advice };
}

/** The worst status of all. */
export function worst(findings: readonly Finding[]): Status {
  return statuses.findLast((status) => findings.some((one) => one.status === status)) ?? 'ok';
}

/** A line for each finding, with its advice below it, and a last line that counts what is not ok. */
export function findingsText(findings: readonly Finding[]): string {
  const rows = findings.map(({ status, check, finding }) => [status, check, finding]);
  const [, ...lines] = table(['', '', ''], rows).split('\n');
  const column = lines.length === 0 ? 0 : Math.max(...findings.map(({ check }) => check.length)) + 11;
  const shown = lines.map((line, index) => {
    const advice = findings[index]?.advice;
    return advice ? `${line}\n${' '.repeat(column)}-> ${advice}` : line;
  });
  const count = (status: Status) => findings.filter((one) => one.status === status).length;
  const counts = `${counted(count('problem'), 'problem')}, ${counted(count('warning'), 'warning')}`;
  return [...shown, '', counts].join('\n');
}

export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
