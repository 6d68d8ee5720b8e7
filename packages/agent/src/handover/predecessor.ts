import { writeSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Environment } from '@visitor-counter/service/settings/environment';
import { textLines } from '../async/text-lines.ts';

/** Set for a successor. */
export const successorVariable = 'COUNTER_SUCCESSOR';
/** The descriptor over which the running agent and its successor talk. */
export const handoverDescriptor = 4;

/** The agent could not hand over to its successor: it has ended or changed its mind. */
export class NotHandedOver extends Error {
  override readonly name = 'NotHandedOver';
  readonly code = 'not-handed-over';
}

/** The running agent, as its successor sees it. */
export interface Predecessor {
  /**
   * Reports that everything is loaded, and resolves when the running agent has released lines, journals and
   * connections. Rejects with NotHandedOver when it ends without that, and with the reason of `stopping`.
   */
  handOver(stopping: AbortSignal): Promise<void>;
  /** Reports why this process cannot take over. Has no effect after `handOver` has resolved. */
  fail(problem: string): void;
}

/** The agent that has started this one as its successor; undefined where none has. */
export function openPredecessor(env: Environment): Predecessor | undefined {
  if (!env[successorVariable]) return undefined;
  let isOpen = true;
  return {
    handOver: async (stopping) => {
      const socket = new Socket({ fd: handoverDescriptor });
      const stop = () => socket.destroy();
      stopping.addEventListener('abort', stop, { once: true });
      try {
        socket.write('ready\n');
        const word = await firstLine(socket).catch(() => undefined);
        stopping.throwIfAborted();
        if (word !== 'go') throw new NotHandedOver('the running agent has not handed over');
      } finally {
        isOpen = false;
        stopping.removeEventListener('abort', stop);
        socket.destroy();
      }
    },
    fail: (problem) => {
      if (isOpen) writeSync(handoverDescriptor, `${problem.replaceAll('\n', ' ')}\n`);
    },
  };
}

/** The first line that arrives on a socket, which stays open; undefined when the other end closes before. */
export async function firstLine(socket: Socket): Promise<string | undefined> {
  for await (const [line] of textLines(socket.iterator({ destroyOnReturn: false }))) {
    if (line !== undefined) return line;
  }
  return undefined;
}
