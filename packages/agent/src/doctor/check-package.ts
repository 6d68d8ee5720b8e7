import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { promisify } from 'node:util';
import { type Finding, warn } from './finding.ts';

const run = promisify(execFile);

/** What dpkg-query(1) prints of the package: its state, and whether the package must be installed again. */
const format = ['db:Status-Status', 'db:Status-Eflag'].map((field) => `\${${field}}`).join(' ');

/**
 * Whether an installation or upgrade was interrupted, by a power cut for example; empty when none was, and where the
 * agent is not installed as a package.
 */
export async function checkPackage(
  env: NodeJS.ProcessEnv,
  updates = '/var/lib/dpkg/updates',
): Promise<Finding[]> {
  if (!env['COUNTER_PROGRAM']) return [];
  try {
    const { stdout } = await run('dpkg-query', ['-W', '-f', format, 'counter-agent'], {
      env,
      timeout: 10_000,
    });
    const pending = (await readdir(updates).catch(() => [])).some((name) => /^\d+$/.test(name));
    return judgePackage(stdout, pending);
  } catch {
    return [];
  }
}

/** What the state of the package means; `pending`: dpkg has changes that it has not completed. */
export function judgePackage(state: string, pending: boolean): Finding[] {
  const [status = '', flag = ''] = state.split(' ');
  const configure = '`sudo dpkg --configure -a`';
  const again = `${configure}, then \`sudo apt install ./counter-agent_*.deb\` with the same package`;
  const interrupted = (detail: string, advice: string) => [
    warn('package', `${detail}: the unit counts with the version that was complete`, advice),
  ];
  if (status === 'half-installed' || flag === 'reinstreq')
    return interrupted('an installation was interrupted', again);
  if (status !== 'installed') return interrupted(`an installation was interrupted (${status})`, configure);
  return pending ? [warn('package', 'dpkg was interrupted: nothing can be installed', configure)] : [];
}
