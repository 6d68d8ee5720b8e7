import { type Finding, ok, problem, warning } from './finding.ts';

/** What is known about the clock of this machine. */
interface ClockFacts {
  /** Whether the system keeps it right by NTP; undefined if nothing here says so. */
  readonly isSynchronized: boolean | undefined;
  /** How far the clock of the database is ahead of this one (ms); undefined without a database. */
  readonly databaseAhead: number | undefined;
}

/** How far two clocks may differ (ms), with the time that it takes to read one. */
const tolerance = 2_000;

export function judgeClock({ isSynchronized, databaseAhead = 0 }: ClockFacts): Finding {
  const service = 'Run: sudo apt install systemd-timesyncd && sudo timedatectl set-ntp true';
  if (Math.abs(databaseAhead) > tolerance) {
    const direction = databaseAhead > 0 ? 'ahead of' : 'behind';
    const finding = `the clock of the database is ${(Math.abs(databaseAhead) / 1_000).toFixed(0)} s ${direction} this one`;
    return problem('clock', finding, `Set both by NTP. Here: ${service.slice('Run: '.length)}`);
  }
  if (isSynchronized === undefined) {
    return warning(
      'clock',
      'it is unknown whether a time service sets it',
      'On a machine or host without systemd, check its NTP service.',
    );
  }
  if (isSynchronized) return ok('clock', 'set by NTP');
  return problem(
    'clock',
    'no time service sets it: crossings with the times of units may be refused',
    service,
  );
}
