import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { readTrace, TraceError } from '../beams/replay-beams.ts';
import { endOfTime } from '../clock/time.ts';
import { Detector } from '../detector/detector.ts';
import type { DetectedCrossing } from '../detector/path.ts';

interface DetectStreams {
  readonly stdin: AsyncIterable<Uint8Array | string>;
  readonly stdout: Writable;
  readonly stderr: Writable;
}

/**
 * Reads an edge trace and writes one JSON line per crossing, in constant memory. Levels before the first
 * edge count as clear unless an edge shows that they were not.
 *
 * Returns the exit code: 0, or 1 when a line cannot be read; the crossings before it are written.
 */
export async function detect({ stdin, stdout, stderr }: DetectStreams): Promise<number> {
  const detector = new Detector();
  let exitCode = 0;
  try {
    for await (const edges of readTrace(stdin)) {
      const crossings = edges.flatMap((edge) => detector.edge(edge));
      await write(stdout, crossings);
    }
  } catch (error) {
    if (!(error instanceof TraceError)) throw error;
    stderr.write(`${error.message}\n`);
    exitCode = 1;
  }
  await write(stdout, detector.advance(endOfTime));
  return exitCode;
}

async function write(stdout: Writable, crossings: readonly DetectedCrossing[]): Promise<void> {
  if (crossings.length === 0) return;
  const lines = crossings.map(
    ({ at, direction }) => `{"at":${at},"direction":"${direction === 1 ? 'in' : 'out'}"}\n`,
  );
  if (!stdout.write(lines.join(''))) await once(stdout, 'drain');
}
