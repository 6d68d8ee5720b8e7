/** ms */
const first = 5_000;
const longest = 15 * 60_000;

/** As often as that takes about three days. */
const mostAttempts = 300;

/**
 * The pause before a message is tried again (ms): doubling up to a quarter hour, the longer half of it at
 * random (`random` from [0, 1)); undefined when it has been tried for about three days.
 */
export function nextAttempt(attempts: number, random: number): number | undefined {
  if (attempts >= mostAttempts) return undefined;
  const ceiling = Math.min(first * 2 ** (attempts - 1), longest);
  return Math.round(ceiling * (0.5 + 0.5 * random));
}
