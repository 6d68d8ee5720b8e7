import { performance } from 'node:perf_hooks';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** How often it is looked (ms). */
const interval = 2_000;

/** The part of that time in which a process that counts as calm was busy, at most. */
const calm = 0.05;

/** How long after a collection there is no other one (ms). */
const rest = 30_000;

/**
 * Collects the garbage of a flood when it is over, and gives the memory back to the system.
 *
 * The heap grows under hundreds of new connections a second, and the runtime collects when it has grown again by
 * as much: with nothing to do it never has a reason to. A collection stops everything for some ten ms for each
 * 100 MB in use, so it waits for a time in which hardly anything happens.
 */
export function returnMemoryWhenCalm(): void {
  const collect = collector();
  let before = performance.eventLoopUtilization();
  let settled = getHeapStatistics().total_heap_size;
  let collectedAt = Number.NEGATIVE_INFINITY;
  setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    const { total_heap_size: held } = getHeapStatistics();
    const rested = performance.now() - collectedAt >= rest;
    if (!isWorthCollecting({ held, settled }) || utilization > calm || !rested) return;
    collect();
    collectedAt = performance.now();
    settled = getHeapStatistics().total_heap_size;
  }, interval).unref();
}

/**
 * Whether the heap (bytes) has grown so far beyond what it was after the last collection that another one will
 * give much back.
 */
export function isWorthCollecting({ held, settled }: { held: number; settled: number }): boolean {
  return held > 1.5 * settled + 16 * 1024 * 1024;
}

/** The runtime's own collection, which it shows to contexts made after it was told to. */
function collector(): () => void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  if (typeof collect !== 'function') return () => {};
  return () => void collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
