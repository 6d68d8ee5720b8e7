import { vi } from 'vitest';

/** What `attempt` returns when it succeeds, however often it fails before. A busy machine is no failure. */
export function eventually<Result>(attempt: () => Promise<Result>): Promise<Result> {
  return vi.waitFor(attempt, { timeout: 300_000, interval: 100 });
}
