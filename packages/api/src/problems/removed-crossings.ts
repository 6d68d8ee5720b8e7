import { Problem } from './problems.ts';

/* Problems of callers who ask for crossings that retention has removed. */

/** `before`: the first instant (epoch ms) whose crossings are kept. */
export function crossingsRemoved(before: number, parameter: string): Problem {
  const instant = new Date(before).toISOString();
  const detail =
    `The company keeps crossings for a limited time: those before ${instant} were removed. ` +
    'Counts by quarter hour, hour and day are kept: /v1/counts.';
  return new Problem('crossings_removed', { detail, parameter });
}

/** `date`: the first business day whose crossings are all kept. */
export function daysRemoved(date: string): Problem {
  const detail =
    `The company keeps crossings for a limited time: ranges begin on ${date} or later. ` +
    'Counts by quarter hour, hour and day are kept: /v1/counts.';
  return new Problem('crossings_removed', { detail, parameter: 'DateFrom' });
}

/** A cursor that was not used for so long that crossings after it were removed. */
export function unreadRemoved(before: number): Problem {
  const instant = new Date(before).toISOString();
  const detail =
    'Crossings that follow this cursor were removed: the company keeps crossings for a limited time, and those before ' +
    `${instant} were removed. Read again without \`after\`, or from an instant with \`from\`, and ignore the crossings ` +
    'that you have by their `device`, `journal` and `sequence`.';
  return new Problem('crossings_removed', { detail, parameter: 'after' });
}
