import { execFile } from 'node:child_process';
import { writeSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Environment } from '@visitor-counter/service/environment';
import { handedDescriptor } from './handed-descriptor.ts';

const run = promisify(execFile);

/**
 * Tells systemd that the service has started, and from then on that it is alive, as sd_notify(3) has it; nothing
 * where systemd did not ask (no NOTIFY_SOCKET). The word that it is alive comes from the event loop: one that hangs
 * falls silent, and systemd starts the service anew. Returns what ends that.
 *
 * Node has no datagram sockets of the local kind. It can write to one that systemd (253 and later) has opened for
 * it; where there is none, `systemd-notify` speaks for it.
 */
export async function notifySystemd(
  env: Environment,
  onProblem: (error: unknown) => void,
): Promise<() => void> {
  if (!env['NOTIFY_SOCKET']) return () => {};
  const watchdog = Number(env['WATCHDOG_USEC'] ?? 0) / 1_000;
  // Starting a program takes seconds where a card or a processor is busy: no reason to be taken for dead.
  const timeout = Math.max(10_000, watchdog / 4);
  const socket = handedDescriptor('notify', env);
  const say = async (...words: string[]) => {
    if (socket !== undefined && written(socket, words)) return;
    await run('systemd-notify', words, { timeout }).then(() => {}, onProblem);
  };
  await say('READY=1', 'STATUS=Counting');
  const timer = watchdog > 0 ? setInterval(() => void say('WATCHDOG=1'), watchdog / 12) : undefined;
  timer?.unref();
  return () => {
    clearInterval(timer);
    void say('STOPPING=1');
  };
}

/** One datagram. False when nobody takes it. */
function written(socket: number, words: readonly string[]): boolean {
  try {
    writeSync(socket, words.join('\n'));
    return true;
  } catch {
    return false;
  }
}
