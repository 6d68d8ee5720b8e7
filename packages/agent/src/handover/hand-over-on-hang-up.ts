import type { Environment } from '@visitor-counter/service/environment';
import type { Logger } from '@visitor-counter/service/logger';
import type { RunningAgent } from '../start-agent.ts';
import type { Supervision } from '../systemd/notify.ts';
import { startSuccessor } from './start-successor.ts';

/** How long it may take to release everything (ms). */
const releaseWithin = 10_000;

export interface HandoverParts {
  readonly agent: RunningAgent;
  readonly systemd: Supervision;
  readonly env: Environment;
  readonly log: Logger;
}

/**
 * On SIGHUP, which `systemctl reload` sends, starts the installed program (COUNTER_PROGRAM, which the package sets) as
 * the successor of this process, goes on counting until that has loaded everything, hands over, and exits. A successor
 * that cannot take over changes nothing. Returns what ends that. Does nothing without systemd.
 *
 * Invariant: at each moment systemd's main process is one that counts, or ends when the handover fails. So a handover
 * that fails in the middle is a service that has ended, which systemd starts again.
 */
export function handOverOnHangUp(parts: HandoverParts): () => void {
  const { env, systemd } = parts;
  const program = env['COUNTER_PROGRAM'];
  if (!program || !systemd.isSupervised) return () => {};
  let attempt: AbortController | undefined;
  const handOver = () => {
    // The program may have been replaced again since the last attempt began.
    attempt?.abort();
    attempt = new AbortController();
    void tryHandOver([program, ...process.argv.slice(2)], parts, attempt.signal);
  };
  process.on('SIGHUP', handOver);
  return () => {
    process.off('SIGHUP', handOver);
    attempt?.abort();
  };
}

async function tryHandOver(
  command: readonly [string, ...string[]],
  parts: HandoverParts,
  signal: AbortSignal,
): Promise<void> {
  const { agent, systemd, env, log } = parts;
  log.info('successor starts');
  const successor = await startSuccessor(
    { command, env, notifyDescriptor: systemd.descriptor },
    signal,
  ).catch((error: unknown) => {
    if (signal.aborted) return;
    const reason = error instanceof Error ? error.message : String(error);
    log.error({ reason }, 'successor cannot take over: this agent goes on');
  });
  if (!successor) return;
  const late = setTimeout(() => process.exit(1), releaseWithin);
  try {
    await systemd.handOver(successor.pid);
    await agent.release();
    await successor.start();
  } catch (error) {
    log.fatal({ err: error }, 'handover failed');
    process.exit(1);
  }
  clearTimeout(late);
  log.info({ pid: successor.pid }, 'handed over to the successor');
  process.exit(0);
}
