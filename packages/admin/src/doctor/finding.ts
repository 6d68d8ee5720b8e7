import { counted, table } from '../command/text.ts';

const statuses = ['ok', 'warning', 'problem'] as const;

/** A warning can become a problem; a problem means that crossings or answers are missing now, or can be lost. */
type Status = (typeof statuses)[number];

/** The result of one check. */
export interface Finding {
  /** The subject of the check, such as `certificates`. */
  readonly check: string;
  readonly status: Status;
  /** The fact that was found. */
  readonly finding: string;
  /** The next step for the operator; null if there is none. */
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

/** A finding, or a condition that does not hold. */
export type Possible = Finding | false | undefined;

export function found(possible: readonly Possible[]): Finding[] {
  return possible.filter((one) => one !== undefined && one !== false);
}

/** What was found, or that all is well. */
export function foundOr(well: Finding, possible: readonly Possible[]): Finding[] {
  const findings = found(possible);
  return findings.length > 0 ? findings : [well];
}

/** The worst status of all. */
export function worst(findings: readonly Finding[]): Status {
  return statuses.findLast((status) => findings.some((one) => one.status === status)) ?? 'ok';
}

/** A line for each finding, with its advice below it, and a last line that counts problems and warnings. */
export function findingsText(findings: readonly Finding[]): string {
  const rows = findings.map(({ status, check, finding }) => [status, check, finding]);
  const [, ...lines] = table(['', '', ''], rows).split('\n');
  const column = Math.max(...findings.map(({ check }) => check.length)) + 11;
  const shown = lines.map((line, index) => {
    const advice = findings[index]?.advice;
    return advice ? `${line}\n${' '.repeat(column)}-> ${advice}` : line;
  });
  const count = (status: Status) => counted(findings.filter((one) => one.status === status).length, status);
  return [...shown, '', `${count('problem')}, ${count('warning')}`].join('\n');
}
