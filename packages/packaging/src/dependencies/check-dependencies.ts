import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parsedJson } from '@visitor-counter/domain/parsed-json';
import { refusedLicences } from './licence-policy.ts';
import { shippedPackages } from './shipped.ts';

/**
 * Checks the third-party packages of a release: their licences, and the advisories of the registry. Prints the findings,
 * and returns whether there are none. If the registry does not answer, it prints that, which is not a finding.
 */
export async function checkDependencies(print: (line: string) => void): Promise<boolean> {
  const packages = await shippedPackages();
  const refused = refusedLicences(packages);
  print(`licences: ${packages.length} packages, ${refused.length} refused`);
  refused.forEach(print);
  const { advisories, reason } = await audit();
  print(`advisories: ${advisories ? advisories.length || 'none' : `not checked: ${reason}`}`);
  advisories?.forEach(print);
  return refused.length === 0 && !advisories?.length;
}

/** The advisories of the registry for our dependencies, or the reason why they are unknown. */
type Audit =
  | { readonly advisories: readonly string[]; readonly reason?: never }
  | { readonly advisories?: never; readonly reason: string };

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const timeout = 60_000;

/** Asks the registry for advisories about the dependencies at run time, for at most a minute. */
function audit(): Promise<Audit> {
  const args = ['pnpm', 'audit', '--prod', '--json'];
  return new Promise((resolve) => {
    execFile('npx', args, { cwd: root, timeout, maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      resolve(error?.killed ? { reason: 'no answer within a minute' } : readAudit(stdout, stderr));
    });
  });
}

/** Reads the answer of `pnpm audit --json`. */
export function readAudit(stdout: string, stderr: string): Audit {
  const { advisories: known }: Report = Object(parsedJson(stdout));
  if (known === undefined) return { reason: firstLine(stderr) ?? firstLine(stdout) ?? 'no answer' };
  const advisories = Object.values(known).map(
    ({ module_name: name, severity, title, url }) => `${name}: ${severity}: ${title} (${url})`,
  );
  return { advisories };
}

interface Report {
  readonly advisories?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** The first line that has more than punctuation. */
function firstLine(text: string): string | undefined {
  const lines = text.split('\n').map((line) => line.replace(/^[\s×│✕]+/, '').trim());
  return lines.find((line) => /\w{3}/.test(line) && !line.startsWith('npm warn'));
}
