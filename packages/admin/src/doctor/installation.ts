import type { Environment } from '@visitor-counter/service/settings/environment';

/** How the operator of this installation does things, for advice. */
export interface Installation {
  /** The operator's command line. */
  readonly command: string;
  /** The command that starts the server, or starts it again. */
  readonly start: string;
  /** The command that shows the server's log, or where it is. */
  readonly log: string;
  /** Where the settings are. */
  readonly settings: string;
  /** The command that makes a backup. */
  readonly backup: string;
  /** The command that creates the database and its roles, or grants them their rights again. */
  readonly setupDatabase: string;
  /** The folder of the daily backups. */
  readonly backups?: string | undefined;
}

const checkout: Installation = {
  command: 'npx pnpm admin',
  start: 'npx pnpm serve',
  log: 'read the standard output of the server',
  settings: 'the environment of the server',
  setupDatabase: 'npx pnpm admin database setup, as docs/operators.md says',
  backup: 'npx pnpm admin backup --to DIR',
};

/**
 * The Debian package, whose launcher names its command and the file of the settings; containers, whose image names only the
 * command; or a checkout.
 */
export function installationOf(env: Environment): Installation {
  const { COUNTER_COMMAND: command, COUNTER_ENVIRONMENT: settings, COUNTER_BACKUPS: backups } = env;
  if (command === undefined) return checkout;
  if (settings === undefined)
    return {
      command,
      start: 'docker compose up --detach',
      log: 'docker compose logs --tail 50 server',
      settings: '.env or docker-compose.yml',
      setupDatabase: 'docker compose up setup',
      backup: 'docker compose exec -T postgres pg_dump …, as docs/install-containers.md says',
    };
  return {
    command: `sudo ${command}`,
    start: 'sudo systemctl restart visitor-counter',
    log: 'sudo journalctl -u visitor-counter -o cat -n 50',
    settings,
    backup: 'sudo systemctl start visitor-counter-backup',
    setupDatabase: 'sudo apt install postgresql; sudo /usr/lib/visitor-counter/setup-database',
    backups,
  };
}
