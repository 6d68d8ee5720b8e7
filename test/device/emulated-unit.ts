import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';

/** The folder with `boot.sh` of an emulated counter unit; undefined if there is none. */
const home = process.env['UNIT_VM'];
const usualImages = process.env['UNIT_HOME'] ?? join(process.env['HOME'] ?? '/root', '.cache/unit-vm');

export type Processor = 'x86_64' | 'aarch64';

export interface Boot {
  readonly processor?: Processor;
  readonly os?: 'trixie' | 'bookworm';
  /** A folder of the host that is `/host` in the unit. */
  readonly share: string;
  /** A file for the changes of the root disk; they are discarded when it is left out. */
  readonly disk?: string;
  /** The folder of its images, if it is not the default one. */
  readonly images?: string;
  /** The image of a second disk. */
  readonly data?: string;
  readonly systemd?: boolean;
  /** The time of the unit's clock when the command starts. */
  readonly clock?: string;
  /** Pauses the whole machine for so many seconds when the command prints `STAND STILL`. */
  readonly standStill?: number;
  /** Cuts the power so many seconds after the command started. */
  readonly cutAfter?: number;
  /** The longest time that the unit runs (s); 800 when left out. */
  readonly limit?: number;
  /** Cuts the power when the command prints `CUT THE POWER`. */
  readonly cutWhenSaid?: boolean;
  /**
   * Steps that run on the host when the command calls `on_host NAME`, which waits until the step has
   * resolved.
   */
  readonly steps?: Readonly<Record<string, () => Promise<void>>>;
}

export interface Booted {
  /** Standard output and standard error of the command. */
  readonly output: string;
  /**
   * The exit code of the command; 137 after a power cut by `cutAfter`, nonzero after one by `cutWhenSaid`.
   */
  readonly code: number | null;
}

/** Why no unit of this kind can be booted; undefined if one can. */
export function missingUnit(
  processor: Processor = 'x86_64',
  os = 'trixie',
  images = usualImages,
): string | undefined {
  if (home === undefined) return 'UNIT_VM names no folder with the boot.sh of an emulated unit';
  const disk = join(images, `disk-${os}-${processor}.ext4`);
  return existsSync(disk) ? undefined : `there is no ${disk}: setup.sh --arch ${processor} --os ${os}`;
}

/** Boots a unit and runs a shell script in it. */
export async function boot(unit: Boot, script: string): Promise<Booted> {
  const options = [
    '--arch',
    unit.processor ?? 'x86_64',
    '--os',
    unit.os ?? 'trixie',
    '--share',
    unit.share,
    ...(unit.disk ? ['--persist', unit.disk] : []),
    ...(unit.data ? ['--data', unit.data] : []),
    ...(unit.systemd ? ['--systemd'] : []),
    ...(unit.clock ? ['--clock', unit.clock] : []),
    ...(unit.cutAfter ? ['--kill-after', `${unit.cutAfter}`] : []),
    '--timeout',
    `${unit.limit ?? 800}`,
    '--',
    script,
  ];
  const child = spawn(join(home ?? '', 'boot.sh'), options, {
    env: { ...process.env, UNIT_HOME: unit.images ?? usualImages },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { standStill = 0, steps = {} } = unit;
  const failed = Promise.withResolvers<never>();
  for (const [name, step] of Object.entries(steps))
    whenSaid(child, `ON HOST ${name}\n`, () => runStep(unit.share, name, step).catch(failed.reject));
  if (standStill > 0) whenSaid(child, 'STAND STILL', (emulator) => stop(emulator, standStill * 1_000));
  if (unit.cutWhenSaid) whenSaid(child, 'CUT THE POWER', (emulator) => process.kill(emulator, 'SIGKILL'));
  const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  try {
    const [out, err, [code]] = await Promise.race([ended, failed.promise]);
    return { output: out + err, code: typeof code === 'number' ? code : null };
  } finally {
    // After a failed step the unit would wait forever.
    child.kill();
    await ended;
  }
}

async function runStep(share: string, name: string, step: () => Promise<void>): Promise<void> {
  await step();
  await writeFile(join(share, `${name}.done`), '');
}

/** Calls `action` once with the emulator that `boot.sh` has started, when the command has printed `words`. */
function whenSaid(script: ChildProcess, words: string, action: (emulator: number) => void): void {
  let said = '';
  const listen = (piece: string) => {
    said += piece;
    if (!said.includes(words)) return;
    script.stdout?.off('data', listen);
    action(Number(execFileSync('pgrep', ['-P', `${script.pid}`, 'qemu'], { encoding: 'utf8' })));
  };
  script.stdout?.setEncoding('utf8').on('data', listen);
}

async function stop(emulator: number, ms: number): Promise<void> {
  process.kill(emulator, 'SIGSTOP');
  await setTimeout(ms);
  process.kill(emulator, 'SIGCONT');
}
