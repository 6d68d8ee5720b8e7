import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import type { UnitTruth } from '../truth/unit-truth.ts';
import { secretOf } from './company.ts';
import { movingClock, Supervised, type Supervised as SupervisedProcess } from './supervised.ts';

/** A counter unit under attack. */
export interface Unit {
  readonly truth: UnitTruth;
  readonly process: SupervisedProcess;
  readonly progress: { recorded: number; acknowledged: number };
  /** How many operations of its disk have failed as the campaign ordered. */
  readonly disk: { readonly failures: number };
  /** Makes its journal unreadable for so long (ms), also for a process that is started meanwhile. */
  failReads(duration: number): void;
}

export interface UnitOptions {
  readonly truth: UnitTruth;
  /** The folder of its configuration and journal. */
  readonly folder: string;
  readonly logFolder: string;
  /** The port of its server. */
  readonly port: number;
  /** How long a commit of the journal takes (ms). */
  readonly pace: number;
}

const Progress = Type.Object({
  progress: Type.Object({ recorded: Type.Integer(), acknowledged: Type.Integer() }),
});
const progressMessage = Compile(Progress);
const failureMessage = Compile(Type.Object({ failed: Type.String() }));

/** Makes a unit; the caller starts its process. */
export async function makeUnit(options: UnitOptions): Promise<Unit> {
  const { truth, logFolder, pace } = options;
  const configFile = await writeConfig(options);
  const progress: Static<typeof Progress>['progress'] = { recorded: 0, acknowledged: 0 };
  const disk = { failures: 0 };
  let unreadableUntil = 0;
  const unreadableFor = () => Math.max(0, unreadableUntil - Date.now());
  const process = new Supervised({
    name: truth.serial,
    args: [...movingClock, join(import.meta.dirname, '../programs/agent.ts'), configFile],
    env: () => ({ DISK_PACE: String(pace), UNREADABLE_FOR: String(unreadableFor()) }),
    logFile: join(logFolder, `${truth.serial}.log`),
    onMessage: (message) => {
      if (progressMessage.Check(message)) Object.assign(progress, message.progress);
      if (failureMessage.Check(message)) disk.failures += 1;
    },
  });
  const failReads = (duration: number) => {
    unreadableUntil = Date.now() + duration;
    process.tellOnce({ unreadableFor: duration });
  };
  return { truth, process, progress, disk, failReads };
}

async function writeConfig({ truth, folder, port }: UnitOptions): Promise<string> {
  const { serial, profile, timeZone, startsOn, from, until } = truth;
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'profile.csv'), profile);
  const configFile = join(folder, 'unit.yaml');
  const config = {
    serial,
    secret: secretOf(serial),
    server: `mqtt://127.0.0.1:${port}`,
    journal: 'journal',
    beams: { source: 'simulated', profile: 'profile.csv', timeZone, startsOn, from, until },
    /* Crossings of the past are older than the default time. */
    keep: { days: 366 },
    /* A tenth of the product's time, like all time limits in a campaign. */
    uplink: { heartbeatSeconds: 6 },
  };
  await writeFile(configFile, JSON.stringify(config));
  return configFile;
}
