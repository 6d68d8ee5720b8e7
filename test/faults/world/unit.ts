import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { startsOn, type UnitTruth } from '../truth/unit-truth.ts';
import { secretOf } from './company.ts';
import { movingClock, Supervised, type Supervised as SupervisedProcess } from './supervised.ts';

/** A counter unit under attack. */
export interface Unit {
  readonly truth: UnitTruth;
  readonly process: SupervisedProcess;
  readonly progress: { recorded: number; acknowledged: number };
}

export interface UnitOptions {
  readonly truth: UnitTruth;
  /** Keeps its configuration and its journal. */
  readonly folder: string;
  readonly logFolder: string;
  /** Where its server is. */
  readonly port: number;
  /** How long the crossings of a day take to be journaled (ms). */
  readonly pace: number;
}

const program = fileURLToPath(new URL('../programs/agent.ts', import.meta.url));
const Progress = Type.Object({
  progress: Type.Object({ recorded: Type.Integer(), acknowledged: Type.Integer() }),
});
const progressMessage = Compile(Progress);

/** Makes a unit; the caller starts its process. */
export async function makeUnit({ truth, folder, logFolder, port, pace }: UnitOptions): Promise<Unit> {
  const { serial, profile, timeZone, until } = truth;
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'profile.csv'), profile);
  const beams = { source: 'simulated', profile: 'profile.csv', timeZone, startsOn, until };
  const server = `mqtt://127.0.0.1:${port}`;
  const configFile = join(folder, 'unit.yaml');
  await writeFile(
    configFile,
    JSON.stringify({ serial, secret: secretOf(serial), server, journal: 'journal', beams }),
  );
  const progress: Static<typeof Progress>['progress'] = { recorded: 0, acknowledged: 0 };
  const process = new Supervised({
    name: serial,
    args: [...movingClock, program, configFile],
    env: () => ({ DISK_PACE: String(pace) }),
    logFile: join(logFolder, `${serial}.log`),
    onMessage: (message) => {
      if (progressMessage.Check(message)) Object.assign(progress, message.progress);
    },
  });
  return { truth, process, progress };
}
