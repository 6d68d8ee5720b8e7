/**
 * Does something until it happened within one minute of the clock: at the end of a minute the page loads its numbers again,
 * also numbers that it has.
 */
export async function withinAMinute(work: () => Promise<void>): Promise<void> {
  const minute = () => Math.floor(Date.now() / 60_000);
  for (let before = Number.NaN; before !== minute(); ) {
    before = minute();
    await work();
  }
}
