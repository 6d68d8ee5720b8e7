import type { DatabaseFacts } from '@visitor-counter/database/fleet/database-state';
import { oldestServer } from '@visitor-counter/database/migrations/migrate';
import { expectedSchema, type SchemaState } from '@visitor-counter/database/migrations/schema-state';
import { expectedInstead } from '@visitor-counter/database/sql/unusable';
import { codeOf, reasonOf } from '@visitor-counter/service/errors';
import { isLoopback } from '@visitor-counter/service/listen';
import { type Finding, type Installation, ok, problem, warning } from './finding.ts';

/** Judges why the database could not be read. */
export function judgeError(error: unknown, url: string, installation: Installation): Finding {
  const advice = adviceFor(error, url, installation);
  return problem('database', `${placeOf(url)}: ${reasonOf(error)}`, advice);
}

const shownRights = 3;

/** Judges the rights of the server's role: which ones it lacks. */
export function judgeRights(missing: readonly string[], url: string, installation: Installation): Finding {
  if (missing.length === 0) return ok('rights', 'the role of the server has all that it needs');
  const more = missing.length > shownRights ? ` and ${missing.length - shownRights} more` : '';
  const finding = `the role of the server lacks ${missing.slice(0, shownRights).join(', ')}${more}`;
  return problem('rights', finding, grantAdvice(url, installation));
}

function grantAdvice(url: string, installation: Installation): string {
  const { command } = installation;
  const run = isOnThisMachine(url) ? installation.setupDatabase : undefined;
  return `Run: ${run ?? `${command} database setup, as when the database was created`}. It grants the roles their rights; nothing else changes.`;
}

function adviceFor(error: unknown, url: string, installation: Installation): string {
  const { settings, start } = installation;
  const code = String(codeOf(error));
  const create = createCommand(url, installation);
  if (code === '42501') return grantAdvice(url, installation);
  if (/^28|^3D000$/.test(code)) {
    const begin = create === undefined ? 'Create' : `Run: ${create}. For another database: create`;
    const lost = code === '3D000' ? '. If it was lost, restore the latest backup' : '';
    return `${begin} its role and the database, or correct DATABASE_URL in ${settings}${lost}; then: ${start}.`;
  }
  const expected = expectedInstead(error);
  if (expected !== undefined)
    return `Correct DATABASE_URL in ${settings}: expected ${expected}. Then: ${start}.`;
  const begin =
    create === undefined
      ? ''
      : 'Run: sudo systemctl start postgresql (if it has another port than 5432, pg_lsclusters shows it). If it ends again: sudo tail /var/log/postgresql/*.log; often its disk is full. ';
  return `${begin}Is PostgreSQL running, and is DATABASE_URL in ${settings} right?`;
}

/** The command that creates a database on this machine, if this installation has one. */
function createCommand(url: string, { createDatabase }: Installation): string | undefined {
  return isOnThisMachine(url) ? createDatabase : undefined;
}

function isOnThisMachine(url: string): boolean {
  const { hostname = '' } = URL.parse(url) ?? {};
  return hostname === '' || /^%2f/i.test(hostname) || isLoopback(hostname);
}

/** Where a database is, without user and password. */
export function placeOf(url: string): string {
  const { hostname = '', port = '', pathname = '' } = URL.parse(url) ?? {};
  return `${decodeURIComponent(pathname.slice(1))} at ${decodeURIComponent(hostname)}${port && `:${port}`}`;
}

/** The most connections of a process with all roles and the default limits. */
const connections = 43;

/** Judges a database that answers. */
export function judgeDatabase(
  {
    facts,
    schema,
    isEmbedded,
  }: { readonly facts: DatabaseFacts; readonly schema: SchemaState; readonly isEmbedded: boolean },
  url: string,
  installation: Installation,
): Finding[] {
  const { command, settings } = installation;
  const found: Finding[] = [];
  if (facts.versionNumber < oldestServer) {
    found.push(
      problem('database', `PostgreSQL ${facts.version} is too old`, 'Upgrade it to PostgreSQL 15 or newer.'),
    );
  } else if (facts.isStandby) {
    found.push(
      problem(
        'database',
        'it is a standby and accepts no writes',
        `Set DATABASE_URL in ${settings} to the primary.`,
      ),
    );
  } else if (facts.settings['default_transaction_read_only'] === 'on') {
    const advice = `If its disk is full, make room. Otherwise use the serving role in DATABASE_URL of ${settings}, or: alter role (or database) NAME reset default_transaction_read_only`;
    found.push(
      problem(
        'database',
        `it accepts no writes: default_transaction_read_only is on for ${facts.user}`,
        advice,
      ),
    );
  } else {
    found.push(ok('database', `PostgreSQL ${facts.version}, ${placeOf(url)}`));
  }
  found.push(judgeDurability(facts), judgeSchema(schema, url, installation));
  const allowed = Number(facts.settings['max_connections']);
  if (allowed < connections) {
    const advice = `Set max_connections in postgresql.conf to ${connections} or more for each server process, and restart PostgreSQL.`;
    found.push(
      warning('database', `max_connections is ${allowed}; the server uses up to ${connections}`, advice),
    );
  }
  if (facts.isSuperuser && !isEmbedded) {
    const advice = `Make a role that may only read and write rows (${command} database setup --help), and use it in DATABASE_URL of ${settings}.`;
    found.push(warning('database', `the server is the superuser ${facts.user} of PostgreSQL`, advice));
  }
  if (isUnencrypted(url)) {
    const advice = `Add ?sslmode=verify-full to DATABASE_URL in ${settings}, unless the network is your own.`;
    found.push(warning('database', 'the connection to another machine may be unencrypted', advice));
  }
  return found;
}

function judgeDurability({ settings }: DatabaseFacts): Finding {
  const off = ['fsync', 'synchronous_commit', 'full_page_writes'].filter((name) => settings[name] === 'off');
  if (off.length === 0) return ok('durability', 'fsync, synchronous_commit and full_page_writes are on');
  const lines = off.map((name) => `alter system set ${name} = on`).join('; ');
  const finding = `${off.join(' and ')} off: a power cut can lose crossings that units no longer have`;
  return problem(
    'durability',
    finding,
    `As the superuser of PostgreSQL: ${lines}; select pg_reload_conf(). The setting may also be one of the role or database.`,
  );
}

function judgeSchema(schema: SchemaState, url: string, installation: Installation): Finding {
  const { start, log } = installation;
  const { applied, missing, unknown } = schema;
  if (unknown.length > 0) {
    const finding = `it is of another release (${unknown.join(', ')})`;
    return problem('schema', finding, `Expected ${expectedSchema(schema)}.`);
  }
  const create = createCommand(url, installation);
  const run = create === undefined ? `Start the server: ${start}` : `Run: ${create}; then: ${start}`;
  if (applied.length === 0) return problem('schema', 'there are no tables yet', run);
  if (missing.length === 0) return ok('schema', `up to date (${applied.at(-1)})`);
  return problem('schema', `${missing.join(', ')} not applied`, `${run}. If that fails: ${log}`);
}

/** Whether the passwords and data may cross a network without TLS. */
function isUnencrypted(url: string): boolean {
  if (isOnThisMachine(url)) return false;
  return !/^(require|verify-ca|verify-full|no-verify)$/.test(
    URL.parse(url)?.searchParams.get('sslmode') ?? '',
  );
}
