import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** What the registry knows about the security of our dependencies. */
type Audit =
  | { readonly state: 'clean' }
  | { readonly state: 'vulnerable'; readonly advisories: readonly string[] }
  /** The registry did not answer, or not with advisories. */
  | { readonly state: 'unknown'; readonly reason: string };

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const timeout = 60_000;

/** Asks the registry for advisories about the dependencies at run time, for at most a minute. */
export function audit(): Promise<Audit> {
  const args = ['pnpm', 'audit', '--prod', '--json'];
  return new Promise((resolve) => {
    execFile('npx', args, { cwd: root, timeout, maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      resolve(error?.killed ? unknown('no answer within a minute') : readAudit(stdout, stderr));
    });
  });
}

/** Reads the answer of `pnpm audit --json`. */
export function readAudit(stdout: string, stderr: string): Audit {
  const report = parsed(stdout);
  if (report?.advisories === undefined) return unknown(firstLine(stderr) ?? firstLine(stdout) ?? 'no answer');
  const advisories = Object.values(report.advisories).map(
    ({ module_name: name, severity, title, url }) => `${name}: ${severity}: ${title} (${url})`,
  );
  return advisories.length === 0 ? { state: 'clean' } : { state: 'vulnerable', advisories };
}

interface Report {
  readonly advisories?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

function parsed(text: string): Report | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function unknown(reason: string): Audit {
  return { state: 'unknown', reason };
}

/** The first line that has more than punctuation. */
function firstLine(text: string): string | undefined {
  const lines = text.split('\n').map((line) => line.replace(/^[\s×│✕]+/, '').trim());
  return lines.find((line) => /\w{3}/.test(line) && !line.startsWith('npm warn'));
}
