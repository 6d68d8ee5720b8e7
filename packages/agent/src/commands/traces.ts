import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { stopSignal } from '@visitor-counter/service/run-service';
import { readTrace, TraceError } from '../beams/trace.ts';
import { endOfTime } from '../clock/time.ts';
import { chooseDoor, type DoorOptions, loadConfig } from '../config/load-config.ts';
import { Detector } from '../detector/detector.ts';
import type { DetectedCrossing } from '../detector/path.ts';
import { askAgent } from '../local/ask-agent.ts';
import { noAgent } from './status.ts';

/**
 * Reads an edge trace and writes one JSON line per crossing, in constant memory. Levels before the first
 * edge count as clear unless an edge shows that they were not.
 *
 * Returns the exit code: 0, or 1 when a line cannot be read; the crossings before it are written.
 */
export async function detect(
  stdin: AsyncIterable<Uint8Array | string>,
  stdout: Writable,
  stderr: Writable,
): Promise<number> {
  const detector = new Detector();
  let exitCode = 0;
  try {
    for await (const edges of readTrace(stdin))
      await write(stdout, crossingLines(edges.flatMap((edge) => detector.edge(edge))));
  } catch (error) {
    if (!(error instanceof TraceError)) throw error;
    stderr.write(`${error.message}\n`);
    exitCode = 1;
  }
  await write(stdout, crossingLines(detector.advance(endOfTime)));
  return exitCode;
}

function crossingLines(crossings: readonly DetectedCrossing[]): string {
  const lines = crossings.map(
    ({ at, direction }) => `{"at":${at},"direction":"${direction === 1 ? 'in' : 'out'}"}\n`,
  );
  return lines.join('');
}

interface RecordOptions extends DoorOptions {
  readonly out?: string;
}

/**
 * Writes the edges of a door of the running agent as a trace that `detect` reads, until Ctrl-C. Exit code 0, or 1 when no
 * agent runs.
 */
export async function record(options: RecordOptions, process: NodeJS.Process): Promise<number> {
  const door = chooseDoor(await loadConfig(options.config, process.env), options.door);
  const out = options.out === undefined ? process.stdout : createWriteStream(options.out);
  let isRecording = false;
  for await (const line of askAgent(door.journal, 'edges', stopSignal(process.env))) {
    if (!isRecording) process.stderr.write('Recording; Ctrl-C ends it.\n');
    await write(out, isRecording ? `${line}\n` : `epoch-ms,line,value\n${line}\n`);
    isRecording = true;
  }
  if (out !== process.stdout) await finished(out.end());
  if (!isRecording) process.stderr.write(`${noAgent}\n`);
  return isRecording ? 0 : 1;
}

async function write(out: Writable, text: string): Promise<void> {
  if (text !== '' && !out.write(text)) await once(out, 'drain');
}
