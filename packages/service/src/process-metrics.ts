import type { StatsFs } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { addGauge, addGauges, type Metrics } from './metrics.ts';

/** A sample for each value of a label. */
type Samples = readonly (readonly [value: string, number: number])[];

interface ProcessMetricsOptions {
  /** Why each role is not ready; undefined for one that is. */
  readonly problems: () => Promise<readonly (readonly [role: string, problem: string | undefined])[]>;
  /** The folders whose disks are measured. */
  readonly folders: readonly string[];
}

/**
 * Adds what an operator must know of a process in addition to `process_…` and `nodejs_…`: whether its roles are ready,
 * its clock, the memory it may use, and the disks of folders. A folder that cannot be read has no sample.
 */
export function addProcessMetrics(registry: Metrics, { problems, folders }: ProcessMetricsOptions): void {
  const gauge = (name: string, help: string, read: () => number) =>
    addGauge(registry, `visitor_counter_${name}`, help, read);
  addGauges(registry, 'visitor_counter_ready', '1 if the role is ready, else 0.', 'role', async () =>
    (await problems()).map(([role, problem]) => [role, Number(problem === undefined)] as const),
  );
  gauge('clock_seconds', 'The clock of the process (Unix time).', () => Date.now() / 1_000);
  gauge('memory_limit_bytes', 'Memory that this machine or container has.', memoryLimit);
  gauge('memory_available_bytes', 'Memory that is still available to processes.', () =>
    Math.min(process.availableMemory(), memoryLimit()),
  );
  gauge(
    'heap_limit_bytes',
    'The largest size of the JavaScript heap.',
    () => getHeapStatistics().heap_size_limit,
  );
  const disks = (name: string, help: string, bytesOf: (disk: Disk) => number) =>
    addGauges(registry, `visitor_counter_disk_${name}`, help, 'folder', () => samplesOf(folders, bytesOf));
  disks('bytes', 'Size of the disk of a folder.', ({ bsize, blocks }) => bsize * blocks);
  disks('available_bytes', 'Free space on the disk of a folder.', ({ bsize, bavail }) => bsize * bavail);
}

/** The limit of the control group, if it is lower than the memory of the machine. */
function memoryLimit(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}

type Disk = StatsFs;

async function samplesOf(folders: readonly string[], bytesOf: (disk: Disk) => number): Promise<Samples> {
  const samples = folders.map(async (folder) => {
    const disk = await statfs(folder).catch(() => undefined);
    return disk === undefined ? [] : [[folder, bytesOf(disk)] as const];
  });
  return (await Promise.all(samples)).flat();
}
