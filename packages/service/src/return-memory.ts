import { performance } from 'node:perf_hooks';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Checking interval (ms). */
const interval = 2_000;

/** An idle process is busy for at most this part of an interval. */
const idle = 0.05;

/** The shortest time between two collections (ms). */
const rest = 30_000;

/**
 * Collects garbage after a load is over, and returns the memory to the system.
 *
 * The heap grows while hundreds of units connect in a second, and the runtime only collects when it has grown further by
 * as much, which an idle process never does. After the hostile messages of the attack tests a gateway has 138 MB more
 * than before without this, and less than 96 MB with it. A collection stops the process for some ten ms for each 100 MB
 * in use, so it waits until the process is idle.
 */
export function returnMemoryWhenIdle(): void {
  const collect = collector();
  let before = performance.eventLoopUtilization();
  let baseline = getHeapStatistics().total_heap_size;
  let collectedAt = Number.NEGATIVE_INFINITY;
  setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    const { total_heap_size: size } = getHeapStatistics();
    const rested = performance.now() - collectedAt >= rest;
    if (!isWorthCollecting({ size, baseline }) || utilization > idle || !rested) return;
    collect();
    collectedAt = performance.now();
    baseline = getHeapStatistics().total_heap_size;
  }, interval).unref();
}

/** Whether the heap (bytes) has grown so much since the last collection that another one returns much of it. */
function isWorthCollecting({ size, baseline }: { size: number; baseline: number }): boolean {
  return size > 1.5 * baseline + 16 * 1024 * 1024;
}

/** The runtime's own collection, which only contexts made after the flag can call. */
function collector(): () => void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  if (typeof collect !== 'function') return () => {};
  return () => void collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
