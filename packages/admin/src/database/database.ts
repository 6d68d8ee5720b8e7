import { resolve } from 'node:path';
import { type Access, accesses, roleUrl } from '@visitor-counter/database/access/access-roles';
import { migrateByOperator, setUpDatabase } from '@visitor-counter/database/access/setup-database';
import { adminUrl, findMigrateUrl } from '@visitor-counter/database/embedded/find-database';
import { textLike } from '@visitor-counter/service/settings/kinds';
import { command, flag, group, textOption } from '../command/command.ts';
import { operatorOf } from '../command/context.ts';
import { choosePasswords, passwordFile, urlFile, writeUrls } from './role-passwords.ts';

const nameKind = textLike('lower-case letters, digits and underscores, at most 51', (text) =>
  /^[a-z][a-z0-9_]{0,50}$/.test(text),
);

/** The purpose of each URL, for the operator. */
const purposes: Readonly<Record<Access, string>> = {
  migrate: 'changes of the schema: DATABASE_MIGRATE_URL',
  serve: 'the programs: DATABASE_URL',
  read: 'backups and your own reports',
};

const setupCommand = command({
  name: 'setup',
  description: 'Create the database, its roles and its tables, or bring them up to date.',
  options: {
    database: { value: '<name>', description: 'the database', kind: nameKind, fallback: 'visitor_counter' },
    out: textOption('<folder>', 'write the URLs to migrate.url, serve.url and read.url here'),
    newPasswords: flag('give the roles new passwords'),
    passwords: textOption(
      '<folder>',
      'your passwords, in files migrate_password, serve_password, read_password',
    ),
  },
  help: `
Connects with DATABASE_ADMIN_URL, a superuser or a role with createrole and createdb. It creates three roles,
<database>_migrate, <database>_serve and <database>_read:

  migrate  owns the database and its tables, and changes the schema
  serve    reads and writes rows; it cannot change the schema
  read     reads

You can run it again at any time: it changes no row and keeps passwords. A database of another owner is refused. New passwords
are random. They are printed only once, or written to the files in --out.

JSON: {"database":…,"roles":{"migrate":{"role":…,"created":true,"url":…},"serve":{…},"read":{…}},"migrations":[…]}`,
  run: async (context, { database, newPasswords, ...options }) => {
    const path = (file: string | undefined) => file && resolve(context.folder, file);
    const roles = { migrate: `${database}_migrate`, serve: `${database}_serve`, read: `${database}_read` };
    const admin = adminUrl(context.env);
    const urlOf = (access: Access, password: string) =>
      roleUrl(admin, { role: roles[access], password, database });
    const [out, given] = [path(options.out), path(options.passwords)];
    const done = await setUpDatabase({
      author: operatorOf(context.env),
      adminUrl: admin,
      database,
      roles,
      choosePasswords: async (existing) => {
        const chosen = { given, out, roles, renew: newPasswords === true };
        const passwords = await choosePasswords(chosen, existing);
        if (out) await writeUrls(out, passwords, urlOf);
        return passwords;
      },
    });
    const reported = accesses.map((access) => {
      const { created, password } = done.roles[access];
      const isShown = password !== undefined && out === undefined && !passwordFile(given, access);
      const where = {
        ...(isShown && { url: urlOf(access, password) }),
        ...(out && { file: urlFile(out, access) }),
      };
      return [access, { role: roles[access], created, ...where }] as const;
    });
    const json = { database, roles: Object.fromEntries(reported), migrations: done.migrations };
    return { json, text: setupText(database, reported) };
  },
});

interface ReportedRole {
  readonly role: string;
  readonly created: boolean;
  readonly url?: string;
  readonly file?: string;
}

function setupText(database: string, roles: readonly (readonly [Access, ReportedRole])[]): string {
  const width = Math.max(...roles.map(([, { role }]) => role.length));
  const lines = roles.map(([access, { role, created }]) => {
    return `  ${role.padEnd(width)}  ${created ? 'created' : 'exists'}; for ${purposes[access]}`;
  });
  const list = (title: string, name: 'file' | 'url') => {
    const found = roles.flatMap(([, role]) => role[name] ?? []);
    return found.length > 0 ? ['', title, ...found.map((one) => `  ${one}`)] : [];
  };
  return [
    `the database ${database} is ready`,
    ...lines,
    ...list('URLs in files that only you can read:', 'file'),
    ...list('URLs with new passwords, shown only this once:', 'url'),
  ].join('\n');
}

const migrateCommand = command({
  name: 'migrate',
  description: 'Bring the tables up to date.',
  help: `
Uses DATABASE_MIGRATE_URL, or DATABASE_URL if that user may change the schema. Programs do the same at their start; run
this command before that if they have DATABASE_URL only. Stop the programs of the release before: they end when the
tables change.

JSON: {"migrations":[…]}`,
  run: async (context) => {
    const url = await findMigrateUrl(context.env);
    const migrations = await migrateByOperator(url, operatorOf(context.env));
    const text = migrations.length > 0 ? migrations.map((one) => `applied ${one}`).join('\n') : 'up to date';
    return { json: { migrations }, text };
  },
});

export const databaseCommands = group('database', 'Set up the database and its roles.', [
  setupCommand,
  migrateCommand,
]);
