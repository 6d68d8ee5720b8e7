import { monotonicMs } from '../clock/time.ts';
import { GpioError } from './gpio-error.ts';
import type { Bias, GpioTools, LineEdge, RunTool } from './gpio-tools.ts';
import { parseLevels } from './parse-levels.ts';

/** libgpiod 1.6, as in Debian bookworm: lines by chip and offset, which `gpiofind` knows by name. */
export function toolsV1(version: string, run: RunTool): GpioTools {
  return {
    version,
    major: 1,
    levels: async (lines, bias) => {
      const { chip, offsets } = await find(lines, run);
      return parseLevels(await run('gpioget', [...biasArgs(bias), chip, ...offsets]), lines.length);
    },
    monitor: async (lines, bias) => {
      const { chip, offsets } = await find(lines, run);
      const names = new Map(offsets.map((offset, index) => [offset, lines[index] ?? offset]));
      return {
        program: 'gpiomon',
        // Without -b the edges would come 4 KiB at a time.
        args: ['-b', ...biasArgs(bias), '-F', '%o %e %s %n', chip, ...offsets],
        parse: (text) => parseEdgeV1(text, names),
      };
    },
    blink: async (line, activeLow, periods) => {
      const { chip, offsets } = await find([line], run);
      const steps = periods.map((period, index) => {
        const time = `-s ${Math.floor(period / 1_000)} -u ${(period % 1_000) * 1_000}`;
        const set = `gpioset ${activeLow ? '-l ' : ''}-m time ${time} ${chip} ${offsets[0]}=${(index + 1) % 2}`;
        return `${set} & p=$!; wait $p || exit 1`;
      });
      // Version 1.6 has no repetition. On SIGTERM it releases the line immediately.
      const script = `trap 'kill $p; exit 0' TERM; while :; do ${steps.join('; ')}; done`;
      return { program: 'sh', args: ['-c', script] };
    },
  };
}

function biasArgs(bias: Bias): string[] {
  if (bias === 'as-is') return [];
  return ['-B', bias === 'disabled' ? 'disable' : bias];
}

async function find(lines: readonly string[], run: RunTool) {
  const found = await Promise.all(lines.map((line) => findLine(line, run)));
  const [chip = ''] = found.map((line) => line.chip);
  if (found.some((line) => line.chip !== chip)) {
    throw new GpioError('gpio-setting', `${lines.join(' and ')} are on different chips: expected one chip`);
  }
  return { chip, offsets: found.map(({ offset }) => offset) };
}

async function findLine(line: string, run: RunTool): Promise<{ chip: string; offset: string }> {
  const text = await run('gpiofind', [line]);
  const [, chip, offset] = /^(\S+) (\d+)\s*$/.exec(text) ?? [];
  if (chip !== undefined && offset !== undefined) return { chip, offset };
  throw new GpioError(
    'gpio-output',
    `gpiofind printed ${JSON.stringify(text)}: expected a chip and an offset`,
  );
}

/**
 * An edge in the format `%o %e %s %n`: `17 0 11 55477775` fell 11.055 s after the start of the machine; the
 * nanoseconds have no leading zeros.
 */
export function parseEdgeV1(text: string, names: ReadonlyMap<string, string>): LineEdge | undefined {
  if (text === '') return undefined;
  const [, offset = '', kind, seconds, nanoseconds] = /^(\d+) ([01]) (\d+) (\d{1,9})$/.exec(text) ?? [];
  const line = names.get(offset);
  if (line === undefined) {
    throw new GpioError('gpio-output', `gpiomon printed ${JSON.stringify(text)}: expected an edge`);
  }
  const at = monotonicMs(Number(seconds) * 1_000 + Math.floor(Number(nanoseconds) / 1e6));
  return { line, high: kind === '1', at };
}
