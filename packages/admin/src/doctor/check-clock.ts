import { type Finding, ok, problem, warning } from './finding.ts';

/** What is known about the clock of this machine. */
interface ClockFacts {
  /** Whether the system keeps it right by NTP; undefined if nothing here says so. */
  readonly isSynchronized: boolean | undefined;
  /** How far the clock of the database is ahead of this one (ms); undefined without a database. */
  readonly databaseAhead: number | undefined;
  /** How far the synchronised clocks of units are ahead, in the median (ms); undefined without such units. */
  readonly unitsAhead?: number | undefined;
}

/** How far two clocks may differ (ms), with the time that it takes to read one. */
const tolerance = 2_000;

/** The same for the clock of a unit, whose message takes longer (ms). */
const unitTolerance = 30_000;

export function judgeClock({ isSynchronized, databaseAhead = 0, unitsAhead = 0 }: ClockFacts): Finding {
  const service = 'Run: sudo apt install systemd-timesyncd && sudo timedatectl set-ntp true';
  if (Math.abs(databaseAhead) > tolerance) {
    const finding = `the clock of the database is ${distance(databaseAhead)} this one`;
    return problem('clock', finding, `Set both by NTP. Here: ${service.slice('Run: '.length)}`);
  }
  if (Math.abs(unitsAhead) > unitTolerance) {
    const finding = `the synchronised clocks of units are ${distance(unitsAhead)} this one`;
    const advice = `${service}. What a wrong clock has caused: "A wrong clock" in the runbook.`;
    return problem('clock', finding, advice);
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

/** Such as `86400 s ahead of`. */
function distance(ahead: number): string {
  return `${(Math.abs(ahead) / 1_000).toFixed(0)} s ${ahead > 0 ? 'ahead of' : 'behind'}`;
}
