import { reasonOf } from '@visitor-counter/service/errors';
import type { Logger } from '@visitor-counter/service/logger';
import type { Supervision } from '@visitor-counter/service/notify';
import { pause } from '@visitor-counter/service/pause';
import type { Environment } from '@visitor-counter/service/settings/environment';
import type { RunningAgent } from '../runtime/start-agent.ts';
import { type Successor, startSuccessor } from './successor.ts';

/** How long it may take to release everything (ms). */
const releaseWithin = 10_000;

/** How often we check whether this agent can end without a loss (ms). */
const checkEvery = 200;

interface HandoverParts {
  readonly agent: RunningAgent;
  readonly systemd: Supervision;
  readonly env: Environment;
  readonly log: Logger;
}

/**
 * On SIGHUP, which `systemctl reload` sends, starts the installed program (COUNTER_PROGRAM, which the package sets) as the
 * successor of this process, continues to count until the successor has loaded everything, hands over, and exits. If the
 * successor fails before that, this process continues. The handover waits while crossings are only in memory, since they
 * would be lost with this process. Returns a function that stops this. Does nothing without systemd.
 *
 * Invariant: the main process that systemd knows counts, or ends if the handover fails. systemd then starts the service
 * again.
 */
export function handOverOnHangUp(parts: HandoverParts): () => void {
  const { env, systemd } = parts;
  const program = env['COUNTER_PROGRAM'];
  if (!program || !systemd.isSupervised) return () => {};
  let attempt: AbortController | undefined;
  const handOver = () => {
    /* The program may have been replaced again since the last attempt began. */
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
  command: readonly string[],
  parts: HandoverParts,
  signal: AbortSignal,
): Promise<void> {
  const { agent, systemd, log } = parts;
  const successor = await readySuccessor(command, parts, signal);
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

/** A successor that can begin now; undefined if it failed, or `signal` has aborted. */
async function readySuccessor(
  command: readonly string[],
  { agent, systemd, env, log }: HandoverParts,
  signal: AbortSignal,
): Promise<Successor | undefined> {
  try {
    for (;;) {
      await untilReleasable(agent, log, signal);
      log.info('successor starts');
      const ready = await startSuccessor(command, env, systemd.descriptor, signal);
      /* People may have walked while it was loading. */
      if (await isReleasableSoon(agent, signal)) return ready;
      ready.cancel();
    }
  } catch (error) {
    if (signal.aborted) return undefined;
    log.error({ reason: reasonOf(error) }, 'successor cannot take over: this agent continues');
    return undefined;
  }
}

/** Waits until no crossing would be lost with this process. Rejects with the reason of `signal`. */
async function untilReleasable(agent: RunningAgent, log: Logger, signal: AbortSignal): Promise<void> {
  if (await isReleasableSoon(agent, signal)) return;
  log.warn(
    { held: agent.held },
    'handover waits: the disk cannot store crossings, and the server has not received all',
  );
  while (!agent.isReleasable) {
    signal.throwIfAborted();
    await pause(checkEvery, signal);
  }
}

/** Waits a moment for the server to receive crossings from memory. Rejects with the reason of `signal`. */
async function isReleasableSoon(agent: RunningAgent, signal: AbortSignal): Promise<boolean> {
  for (let checks = 0; !agent.isReleasable && checks < 10; checks += 1) await pause(checkEvery, signal);
  signal.throwIfAborted();
  return agent.isReleasable;
}
