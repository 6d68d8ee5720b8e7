import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { stopSignal } from '@visitor-counter/service/run-service';
import type { BeamName, Beams, Edge, Restart } from '../beams/beams.ts';
import { openBeams } from '../beams/open-beams.ts';
import { displayedOffset, instantOf } from '../clock/time.ts';
import { chooseDoor, type DoorOptions, loadConfig } from '../config/load-config.ts';
import { askOnce } from '../local/ask-agent.ts';

interface RecordOptions extends DoorOptions {
  readonly out?: string;
}

/** Writes a door's edges as a trace that `detect` reads, until Ctrl-C. Exit code 0, or 1 while an agent runs. */
export async function record(options: RecordOptions, process: NodeJS.Process): Promise<number> {
  const door = chooseDoor(await loadConfig(options.config, process.env), options.door);
  if (await askOnce(door.journal)) {
    process.stderr.write('The running agent uses the lines: stop it first.\n');
    return 1;
  }
  const signal = stopSignal(process.env);
  const onProblem = (problem: Error) => process.stderr.write(`${problem.message}\n`);
  const onReading = () => process.stderr.write('Recording; Ctrl-C ends it.\n');
  const beams = await openBeams(door.beams, { resumeAfter: Date.now(), onProblem, onReading });
  const out = options.out === undefined ? process.stdout : createWriteStream(options.out);
  await writeTrace(beams, out, signal);
  if (out !== process.stdout) await finished(out.end());
  return 0;
}

/** Writes edges as lines `epoch-ms,line,value`; where reading begins, a line for each beam. */
async function writeTrace(beams: Beams, out: Writable, signal: AbortSignal): Promise<void> {
  /* One conversion for all: a wall clock that is set meanwhile must not reorder the trace. */
  const offset = displayedOffset(beams.stampClock);
  out.write('epoch-ms,line,value\n');
  for await (const batch of beams.edges(signal)) {
    const edges = batch.flatMap((event) => ('levels' in event ? edgesOf(event) : event));
    const lines = edges.map(({ at, beam, broken }) => `${instantOf(at, offset)},${beam},${broken ? 1 : 0}\n`);
    if (lines.length > 0 && !out.write(lines.join(''))) await once(out, 'drain');
  }
}

function edgesOf({ at, levels }: Restart): Edge[] {
  return (['a', 'b'] as const).flatMap((beam: BeamName) => {
    const broken = levels[beam];
    return broken === undefined ? [] : [{ at, beam, broken }];
  });
}
