/** CLOCK_MONOTONIC in ms: what the kernel stamps edges with, and no setting of the wall clock moves. */
export function monotonicNow(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** The instant (epoch ms, whole) of a moment by the wall clock as it is set now: for people to look at. */
export function epochOf(time: 'epoch' | 'monotonic', at: number): number {
  return time === 'epoch' ? at : Math.round(Date.now() - monotonicNow() + at);
}
