import type { SettledBoot } from '../clock/settle-boots.ts';
import { writeClocks } from './clocks-file.ts';
import type { FileSystem } from './file-system.ts';
import type { JournalState } from './journal-state.ts';

/**
 * Says when boots began: durably before anybody can read an instant that follows from it. What is settled is
 * never settled again, since the server refuses a crossing that comes with another instant.
 */
export async function settle(
  files: FileSystem,
  state: JournalState,
  boots: readonly SettledBoot[],
): Promise<void> {
  const fresh = boots.filter(({ boot }) => !state.clocks.has(boot));
  if (fresh.length === 0) return;
  const needed = new Set(state.segments.map(({ boot }) => boot));
  const clocks = [...state.clocks.values(), ...fresh].filter(({ boot }) => needed.has(boot));
  await writeClocks(files, state.directory, clocks);
  state.clocks = new Map(clocks.map((known) => [known.boot, known]));
  for (const { boot, last } of state.unsettled) {
    const known = state.clocks.get(boot);
    if (known) state.settledAt = Math.max(state.settledAt, known.offset + last - known.uncertainty);
  }
  state.unsettled = state.unsettled.filter(({ boot }) => !state.clocks.has(boot));
}
