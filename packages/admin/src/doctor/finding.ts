import type { Environment } from '@visitor-counter/service/settings/environment';
import { table } from '../command/text.ts';

const statuses = ['ok', 'warning', 'problem'] as const;

/** A warning can become a problem; a problem means that crossings or answers are missing now, or can be lost. */
export type Status = (typeof statuses)[number];

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

/** The worst status of all. */
export function worst(findings: readonly Finding[]): Status {
  return statuses.findLast((status) => findings.some((one) => one.status === status)) ?? 'ok';
}

/** A line for each finding, with its advice below it, and a last line that counts problems and warnings. */
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

/** How the operator of this installation does things, for advice. */
export interface Installation {
  /** The operator's command line. */
  readonly command: string;
  /** The command that starts the server, or starts it again. */
  readonly start: string;
  /** The command that shows the server's log, or where it is. */
  readonly log: string;
  /** The unit of systemd that is the server; undefined if there is none. */
  readonly unit: string | undefined;
  /** Where the settings are. */
  readonly settings: string;
  /** The commands that create the database of the package, or bring it up to date; undefined without the package. */
  readonly createDatabase: string | undefined;
  /** The command that brings the database of the package and the rights of its roles up to date. */
  readonly setupDatabase: string | undefined;
  /** The command that makes a backup. */
  readonly backup: string;
  /** The folder of the daily backups; undefined if there are none. */
  readonly backups: string | undefined;
}

const setupDatabase = 'sudo /usr/lib/visitor-counter/setup-database';

/**
 * The Debian package, whose launcher names its command and the file of the settings; containers, whose image names only the
 * command; or a checkout.
 */
export function installationOf(env: Environment): Installation {
  const command = env['COUNTER_COMMAND'];
  const file = env['COUNTER_ENVIRONMENT'];
  const none = { unit: undefined, createDatabase: undefined, setupDatabase: undefined, backups: undefined };
  if (command === undefined) {
    const settings = 'the environment of the server';
    const log = 'read the standard output of the server';
    const backup = 'npx pnpm admin backup --to DIR';
    return { command: 'npx pnpm admin', start: 'npx pnpm serve', log, settings, backup, ...none };
  }
  if (file === undefined) {
    const settings = '.env or docker-compose.yml';
    const log = 'docker compose logs --tail 50 server';
    const backup = 'docker compose exec -T postgres pg_dump …, as docs/install-containers.md says';
    return { command, start: 'docker compose up --detach', log, settings, backup, ...none };
  }
  return {
    command: `sudo ${command}`,
    start: 'sudo systemctl restart visitor-counter',
    log: 'sudo journalctl -u visitor-counter -o cat -n 50',
    unit: 'visitor-counter.service',
    settings: file,
    createDatabase: `sudo apt install postgresql; ${setupDatabase}`,
    setupDatabase,
    backup:
      'sudo systemctl start visitor-counter-backup; if that fails: sudo journalctl -u visitor-counter-backup',
    backups: env['COUNTER_BACKUPS'],
  };
}
