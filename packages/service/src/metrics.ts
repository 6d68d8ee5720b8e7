import type { StatsFs } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';

/** The metrics of one process or of one test: nothing is registered globally. */
export { Registry as Metrics };

/** The number for a value of a label. */
type Sample = readonly [value: string, number: number];

/** A counter without labels. Returns the function that counts. */
export function addCounter(registry: Registry, name: string, help: string): (count?: number) => void {
  const counter = new Counter({ name, help, registers: [registry] });
  return (count) => counter.inc(count);
}

/**
 * A counter by one label. It has a sample for each of `values` from the beginning, with 0: a rate needs the number from before
 * the first event. Returns the function that counts; prom-client's own costs a tenth of what the gateway does for a message.
 */
export function addCounters<Value extends string>(
  registry: Registry,
  name: string,
  help: string,
  label: string,
  values: readonly Value[],
): (value: Value, count?: number) => void {
  const counts = new Map<Value, number>(values.map((value) => [value, 0]));
  new Counter({
    name,
    help,
    labelNames: [label],
    registers: [registry],
    collect() {
      this.reset();
      for (const [value, count] of counts) this.inc({ [label]: value }, count);
    },
  });
  return (value, count = 1) => counts.set(value, (counts.get(value) ?? 0) + count);
}

/** A gauge that is read at each scrape; it has no sample while `read` returns undefined. */
export function addGauge(
  registry: Registry,
  name: string,
  help: string,
  read: () => number | undefined | Promise<number | undefined>,
): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    async collect() {
      const value = await read();
      if (value === undefined) this.remove();
      else this.set(value);
    },
  });
}

/** A gauge with a sample for each value of `label`, which must have few or be bounded in number. */
export function addGauges<Label extends string>(
  registry: Registry,
  name: string,
  help: string,
  label: Label,
  read: () => Iterable<Sample> | Promise<Iterable<Sample>>,
): void {
  new Gauge({
    name,
    help,
    labelNames: [label],
    registers: [registry],
    async collect() {
      const samples = await read();
      this.reset();
      for (const [value, number] of samples) this.labels(value).set(number);
    },
  });
}

interface ProcessMetricsOptions {
  /** Why each role is not ready; undefined for one that is. */
  readonly problems: () => Promise<readonly (readonly [role: string, problem: string | undefined])[]>;
  /** The folders whose disks are measured. */
  readonly folders: readonly string[];
}

/**
 * Adds what an operator must know of a process: `process_…` and `nodejs_…` of prom-client, whether its roles are ready,
 * its clock, the memory it may use, and the disks of folders. A folder that cannot be read has no sample.
 */
export function addProcessMetrics(registry: Registry, { problems, folders }: ProcessMetricsOptions): void {
  collectDefaultMetrics({ register: registry });
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
  const disks = (name: string, help: string, bytesOf: (disk: StatsFs) => number) =>
    addGauges(registry, `visitor_counter_disk_${name}`, help, 'folder', () => samplesOf(folders, bytesOf));
  disks('bytes', 'Size of the disk of a folder.', ({ bsize, blocks }) => bsize * blocks);
  disks('available_bytes', 'Free space on the disk of a folder.', ({ bsize, bavail }) => bsize * bavail);
}

/** The limit of the control group, if it is lower than the memory of the machine. */
function memoryLimit(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}

async function samplesOf(
  folders: readonly string[],
  bytesOf: (disk: StatsFs) => number,
): Promise<readonly Sample[]> {
  const samples = folders.map(async (folder) => {
    const disk = await statfs(folder).catch(() => undefined);
    return disk === undefined ? [] : [[folder, bytesOf(disk)] as const];
  });
  return (await Promise.all(samples)).flat();
}
