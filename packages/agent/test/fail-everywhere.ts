import type { FileSystem } from '../src/journal/file-system.ts';
import { failingDisk } from './failing-file-system.ts';
import type { MemoryFiles } from './memory-file-system.ts';

/** The reports of a program on a disk that fails, and the promise that rejects when its power is cut. */
interface Life<Reported> {
  /** Begins the report of a new life of the program. */
  readonly reported: () => Reported;
  readonly live: (files: FileSystem, reported: Reported, cut?: Promise<never>) => Promise<void>;
  /** Checks the contents of the disk afterwards. */
  readonly check: (contents: MemoryFiles, reported: Reported) => Promise<void>;
}

/** How many operations there are without a failure. */
async function operationsOf<Reported>({ reported, live }: Life<Reported>): Promise<number> {
  let operations = 0;
  const disk = failingDisk(new Map(), { before: () => (operations += 1), torn: 1 });
  await live(disk.files, reported());
  return operations;
}

/** Cuts the power at each operation in turn, each with writes that were torn in several ways; the number of operations. */
export async function cutEverywhere<Reported>(life: Life<Reported>): Promise<number> {
  const operations = await operationsOf(life);
  for (let cutAt = 1; cutAt <= operations; cutAt += 1) {
    for (const torn of [0, 0.4, 1]) {
      const { promise: cut, reject } = Promise.withResolvers<never>();
      cut.catch(() => {});
      const reported = life.reported();
      let operation = 0;
      const before = () => {
        operation += 1;
        if (operation < cutAt) return;
        const error = new Error('power cut');
        reject(error);
        throw error;
      };
      const disk = failingDisk(new Map(), { before, torn });
      await life.live(disk.files, reported, cut).catch(() => {});
      const others = torn === 0 ? [disk.afterCutOfNames(), disk.afterCutOfRemovals()] : [];
      for (const contents of others) await life.check(contents, structuredClone(reported));
      await life.check(disk.afterCut(torn), reported);
    }
  }
  return operations;
}

/** Lets each operation in turn fail once with a code of the system. */
export async function failEverywhere<Reported>(code: string, life: Life<Reported>): Promise<void> {
  const operations = await operationsOf(life);
  for (let failAt = 1; failAt <= operations; failAt += 1) {
    const reported = life.reported();
    let operation = 0;
    const before = () => {
      operation += 1;
      if (operation === failAt) throw Object.assign(new Error(code), { code });
    };
    const disk = failingDisk(new Map(), { before, torn: 0.5 });
    await life.live(disk.files, reported).catch(() => {});
    await life.check(disk.afterCut(0), reported);
  }
}
