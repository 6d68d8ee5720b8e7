import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Access, accesses, type RoleNames } from '@visitor-counter/database/access/access-roles';
import { generateSecret } from '@visitor-counter/database/credentials/credentials';
import { weaknessOf } from '@visitor-counter/domain/weak-secret';
import { Refused, reasonOf } from '@visitor-counter/service/errors';
import { readNamedFile, writeAtomically } from '@visitor-counter/service/files';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';

interface PasswordOptions {
  /** The folder of the files with passwords that the operator has chosen. */
  readonly given: string | undefined;
  /** The folder for the URLs; undefined prints them. */
  readonly out: string | undefined;
  /** Gives roles that exist another password. */
  readonly renew: boolean;
  readonly roles: RoleNames;
}

/** The file in the folder `out` with the URL of a role. */
export function urlFile(out: string, access: Access): string {
  return join(out, `${access}.url`);
}

/** The file with the password that the operator has chosen for a role, if there is one. */
export function passwordFile(folder: string | undefined, access: Access): string | undefined {
  const file = folder && join(folder, `${access}_password`);
  return file && existsSync(file) ? file : undefined;
}

/**
 * The passwords of the roles: that of the operator's file, else that of the URL in the folder `out`, else a new one for a
 * role that does not exist; roles that keep their own are left out. Throws a ConfigurationError for a password that is
 * easy to guess, without the password.
 */
export async function choosePasswords(
  options: PasswordOptions,
  existing: ReadonlySet<Access>,
): Promise<Partial<Record<Access, string>>> {
  const passwords: Partial<Record<Access, string>> = {};
  for (const access of accesses) {
    const password = await passwordFor(options, access, existing.has(access));
    if (password !== undefined) passwords[access] = password;
  }
  return passwords;
}

async function passwordFor(
  { given, out, renew, roles }: PasswordOptions,
  access: Access,
  exists: boolean,
): Promise<string | undefined> {
  const file = passwordFile(given, access);
  if (file !== undefined) return givenPassword(file);
  const written = out && urlFile(out, access);
  if (!renew && written && existsSync(written)) {
    const url = URL.parse(String(await readNamedFile('--out', written)).trim());
    if (url?.password) return decodeURIComponent(url.password);
    throw new ConfigurationError('--out', written, 'a file with the URL that this command has written');
  }
  if (renew || !exists) return generateSecret();
  if (out === undefined) return undefined;
  const missing = `the role ${roles[access]} exists, and ${written} does not`;
  throw new Refused(`${missing}: give all roles new passwords with --new-passwords, or leave out --out`);
}

async function givenPassword(file: string): Promise<string> {
  const option = '--passwords';
  const password = String(await readNamedFile(option, file)).replace(/\r?\n$/, '');
  const lacks = weaknessOf(password);
  if (lacks !== undefined) throw new ConfigurationError(option, file, `a password with ${lacks}`);
  if (/[^\x20-\x7e]/.test(password))
    throw new ConfigurationError(option, file, 'one line of printable ASCII characters');
  return password;
}

/** Writes the URLs of the roles with a password to files that only their owner can read. */
export async function writeUrls(
  out: string,
  passwords: Readonly<Partial<Record<Access, string>>>,
  urlOf: (access: Access, password: string) => string,
): Promise<void> {
  try {
    await mkdir(out, { recursive: true, mode: 0o700 });
    for (const access of accesses) {
      const password = passwords[access];
      if (password !== undefined) await writeAtomically(urlFile(out, access), `${urlOf(access, password)}\n`);
    }
  } catch (error) {
    const reason = reasonOf(error);
    throw new ConfigurationError('--out', out, `a folder that this user can make and write (${reason})`);
  }
}
