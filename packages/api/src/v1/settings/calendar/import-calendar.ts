import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { codeOf } from '@visitor-counter/service/errors';
import { malformedBody, tooMany } from '../../../problems/problems.ts';
import type { CalendarToRead, ReadCalendar } from './read-calendar.ts';

/** How long a calendar may take (ms), how much memory (MB), and how many are read at a time. */
const mostTime = 10_000;
const memory = 128;
const mostAtATime = 2;

/** The worker's module is next to this one, also in a bundle. */
const own = import.meta.url;
const workerModule = new URL(`./calendar-worker${own.endsWith('.ts') ? '.ts' : '.mjs'}`, own);

let running = 0;

/**
 * Reads a calendar in a thread of its own, so that one with endless repetitions neither delays other requests nor uses up
 * the memory. Throws `malformed_body` and `too_many_requests`.
 */
export async function importCalendar(input: CalendarToRead, deadline = mostTime): Promise<ReadCalendar> {
  if (running >= mostAtATime) throw tooMany('requests', mostTime / 1_000);
  running += 1;
  const worker = new Worker(workerModule, {
    workerData: input,
    resourceLimits: { maxOldGenerationSizeMb: memory },
  });
  try {
    const [result]: (ReadCalendar | undefined)[] = await once(worker, 'message', {
      signal: AbortSignal.timeout(deadline),
    });
    if (result === undefined) throw malformedBody('The body is not iCalendar (RFC 5545).');
    return result;
  } catch (error) {
    if (!isTooMuch(error)) throw error;
    throw malformedBody('The calendar repeats its events too often, or is too long.');
  } finally {
    running -= 1;
    await worker.terminate();
  }
}

/** Whether the thread has used up its time or its memory. */
function isTooMuch(error: unknown): boolean {
  if (codeOf(error) === 'ERR_WORKER_OUT_OF_MEMORY') return true;
  return error instanceof Error && error.name === 'AbortError';
}
