import { execFile } from 'node:child_process';
import { writeSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Environment } from './settings/environment.ts';

const run = promisify(execFile);

/** The service as systemd supervises it. */
export interface Supervision {
  /** Reports that the service stops. */
  stop(): void;
}

/**
 * Reports to systemd that the service has started, and then periodically that it is alive, see sd_notify(3); does nothing
 * without NOTIFY_SOCKET. The event loop sends the watchdog messages: if it hangs, they stop, and systemd restarts the
 * service.
 *
 * Node has no Unix datagram sockets. It can write to one that systemd (253 and later) has opened for it; without that, the
 * program `systemd-notify` sends the message.
 */
export async function notifySystemd(
  env: Environment,
  onProblem: (error: unknown) => void,
): Promise<Supervision> {
  if (!env['NOTIFY_SOCKET']) return { stop: () => {} };
  const watchdog = Number(env['WATCHDOG_USEC'] ?? 0) / 1_000;
  /* On a busy card or processor, starting a program takes seconds. */
  const timeout = Math.max(10_000, watchdog / 4);
  const descriptor = handedDescriptor('notify', env);
  const say = async (...words: string[]) => {
    if (descriptor !== undefined && written(descriptor, words)) return;
    await run('systemd-notify', words, { timeout }).then(() => {}, onProblem);
  };
  await say('READY=1');
  const timer = watchdog > 0 ? setInterval(() => void say('WATCHDOG=1'), watchdog / 12) : undefined;
  timer?.unref();
  return {
    stop: () => {
      clearInterval(timer);
      void say('STOPPING=1');
    },
  };
}

/** Sends one datagram. Returns false if it cannot be sent. */
function written(socket: number, words: readonly string[]): boolean {
  try {
    writeSync(socket, words.join('\n'));
    return true;
  } catch {
    return false;
  }
}

/** The first descriptor that systemd passes: sd_listen_fds(3). */
const firstDescriptor = 3;

/**
 * The descriptor that systemd has opened for this process under a name (`OpenFile=` in the unit file); undefined if there
 * is none. See sd_listen_fds_with_names(3).
 */
function handedDescriptor(name: string, env: Environment): number | undefined {
  /* Set for another process, from which this one has inherited its environment. */
  if (env['LISTEN_PID'] !== String(process.pid)) return undefined;
  const index = (env['LISTEN_FDNAMES'] ?? '').split(':').indexOf(name);
  return index < 0 ? undefined : firstDescriptor + index;
}
