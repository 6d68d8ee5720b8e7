import type { ReadReplica } from '@visitor-counter/database/embedded/find-database';
import { type DatabaseFacts, inspectDatabase } from '@visitor-counter/database/fleet/database-state';
import { oldestServer } from '@visitor-counter/database/migrations/migrate';
import { expectedSchema, type SchemaState } from '@visitor-counter/database/migrations/schema-state';
import { connect, type Database, replicaLag } from '@visitor-counter/database/sql/connect';
import { expectedInstead } from '@visitor-counter/database/sql/unavailable';
import { codeOf, reasonOf } from '@visitor-counter/service/errors';
import { isLoopback } from '@visitor-counter/service/listen';
import { type Finding, found, foundOr, ok, problem, warning } from './finding.ts';
import type { Installation } from './installation.ts';

/** Judges why the database could not be read. */
export function judgeError(error: unknown, url: string, installation: Installation): Finding {
  return problem('database', `${placeOf(url)}: ${reasonOf(error)}`, adviceFor(error, installation));
}

function adviceFor(error: unknown, { settings, setupDatabase }: Installation): string {
  const code = String(codeOf(error));
  if (code === '42501') return `Run: ${setupDatabase}`;
  if (/^28|^3D000$/.test(code)) return `Either correct DATABASE_URL in ${settings}, or run: ${setupDatabase}`;
  const expected = expectedInstead(error);
  if (expected !== undefined) return `Correct DATABASE_URL in ${settings}: expected ${expected}`;
  return `Is PostgreSQL running, as its log (/var/log/postgresql) says, and is DATABASE_URL in ${settings} right?`;
}

function isOnThisMachine(url: string): boolean {
  const { hostname = '' } = URL.parse(url) ?? {};
  return hostname === '' || /^%2f/i.test(hostname) || isLoopback(hostname);
}

/** Where a database is, without user and password. */
function placeOf(url: string): string {
  const { hostname = '', port = '', pathname = '' } = URL.parse(url) ?? {};
  return `${decodeURIComponent(pathname.slice(1))} at ${decodeURIComponent(hostname)}${port && `:${port}`}`;
}

/** Judges the rights of the server's role: which ones it lacks. */
export function judgeRights(missing: readonly string[], { setupDatabase }: Installation): Finding {
  if (missing.length === 0) return ok('rights', 'the role of the server has all that it needs');
  const more = missing.length > 3 ? ` and ${missing.length - 3} more` : '';
  const finding = `the role of the server lacks ${missing.slice(0, 3).join(', ')}${more}`;
  return problem('rights', finding, `Run: ${setupDatabase}`);
}

/** The most connections of a process with all roles and the default limits. */
const connections = 43;

/** Judges a database that answers. */
export function judgeDatabase(
  facts: DatabaseFacts,
  { url, isEmbedded }: { readonly url: string; readonly isEmbedded: boolean },
  { setupDatabase, settings: file }: Installation,
): Finding[] {
  const { version, settings, user } = facts;
  const allowed = Number(settings['max_connections']);
  return [
    ...foundOr(ok('database', `PostgreSQL ${version}, ${placeOf(url)}`), [
      facts.versionNumber < oldestServer &&
        problem('database', `PostgreSQL ${version} is too old`, 'Upgrade it to PostgreSQL 15 or newer.'),
      facts.isStandby &&
        problem(
          'database',
          'it is a standby and accepts no writes',
          `Set DATABASE_URL in ${file} to the primary.`,
        ),
      settings['default_transaction_read_only'] === 'on' &&
        !facts.isStandby &&
        problem(
          'database',
          `it accepts no writes: default_transaction_read_only is on for ${user}`,
          `Make room if its disk is full, or use the serving role in DATABASE_URL of ${file}.`,
        ),
    ]),
    ...found([
      judgeDurability(settings),
      allowed < connections &&
        warning(
          'database',
          `max_connections is ${allowed}; the server uses up to ${connections}`,
          'Raise max_connections in postgresql.conf, and restart PostgreSQL.',
        ),
      facts.isSuperuser &&
        !isEmbedded &&
        warning(
          'database',
          `the server is the superuser ${user} of PostgreSQL`,
          `Use the serving role in DATABASE_URL of ${file}. To make it: ${setupDatabase}`,
        ),
      isUnencrypted(url) &&
        warning(
          'database',
          'the connection to another machine may be unencrypted',
          `Add ?sslmode=verify-full to DATABASE_URL in ${file}, unless the network is your own.`,
        ),
    ]),
  ];
}

/** Whether the passwords and data may cross a network without TLS. */
function isUnencrypted(url: string): boolean {
  const mode = URL.parse(url)?.searchParams.get('sslmode') ?? '';
  return !isOnThisMachine(url) && !/^(require|verify-ca|verify-full|no-verify)$/.test(mode);
}

function judgeDurability(settings: DatabaseFacts['settings']): Finding {
  const off = ['fsync', 'synchronous_commit', 'full_page_writes'].filter((name) => settings[name] === 'off');
  if (off.length === 0) return ok('durability', 'fsync, synchronous_commit and full_page_writes are on');
  const finding = `${off.join(' and ')} off: a power cut can lose crossings that units no longer have`;
  const lines = off.map((name) => `alter system set ${name} = on; `).join('');
  return problem('durability', finding, `As the superuser of PostgreSQL: ${lines}select pg_reload_conf()`);
}

export function judgeSchema(schema: SchemaState, { start, setupDatabase }: Installation): Finding {
  const { applied, missing, unknown } = schema;
  if (unknown.length > 0) {
    const finding = `it is of another release (${unknown.join(', ')})`;
    return problem('schema', finding, `Expected ${expectedSchema(schema)}.`);
  }
  if (missing.length === 0) return ok('schema', `up to date (${applied.at(-1)})`);
  const lacks = applied.length === 0 ? 'there are no tables yet' : `${missing.join(', ')} not applied`;
  return problem('schema', lacks, `Start the server: ${start}. If that fails: ${setupDatabase}`);
}

/** Checks, as the api does, that the replica can be used; the primary answers where it cannot. */
export async function checkReplica(
  primary: Database,
  { url, maxLag }: ReadReplica,
  { settings }: Installation,
): Promise<Finding[]> {
  const replica = connect(url, { applicationName: 'visitor-counter doctor', readOnly: true });
  const place = placeOf(url);
  try {
    const lag = Math.ceil(await replicaLag(primary, replica, maxLag));
    const { version, settings: ofServer } = await inspectDatabase(replica);
    const found = ok('replica', `PostgreSQL ${version}, ${place}, caught up within ${lag} ms`);
    if (ofServer['hot_standby_feedback'] === 'on') return [found];
    const finding = 'hot_standby_feedback is off: the replica may cancel long exports';
    return [found, warning('replica', finding, 'Set hot_standby_feedback = on in its postgresql.conf.')];
  } catch (error) {
    const finding = `${place} is not used, and the primary answers: ${reasonOf(error)}`;
    const advice = `Set DATABASE_READ_URL in ${settings} to a streaming standby of DATABASE_URL that runs, or remove it.`;
    return [warning('replica', finding, advice)];
  } finally {
    await replica.close();
  }
}
