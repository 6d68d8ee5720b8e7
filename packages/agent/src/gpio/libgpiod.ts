import type { MonotonicMs } from '@visitor-counter/domain/time';
import { monotonicMs } from '../clock/time.ts';
import type { Bias, GpioTools, LineEdge, RunTool } from './gpio-tools.ts';
import { GpioError, toolRunner } from './run-tool.ts';

/**
 * Finds out which libgpiod is installed; its tools differ in their command lines, and in how they print an edge. Throws
 * GpioError.
 */
export async function openGpioTools(env: NodeJS.ProcessEnv = process.env): Promise<GpioTools> {
  const text = await toolRunner(2, env)('gpiomon', ['--version']);
  const { version, major } = parseVersion(text);
  return major < 2 ? toolsV1(version, toolRunner(major, env)) : toolsV2(version, toolRunner(major, env));
}

/**
 * The version in what `gpiomon --version` prints. Only the word after the library's name is the version: the text
 * of 1.6 continues with "LGPLv2.1". Throws GpioError.
 */
export function parseVersion(text: string): { version: string; major: number } {
  const [, version, major] = /libgpiod\) v((\d+)[\d.]*)/.exec(text) ?? [];
  if (version === undefined) {
    throw unexpectedOutput('gpiomon', text, 'a version');
  }
  return { version, major: Number(major) };
}

/** libgpiod 1.6, as in Debian bookworm: lines by chip and offset, which `gpiofind` knows by name. */
export function toolsV1(version: string, run: RunTool): GpioTools {
  return {
    version,
    major: 1,
    levels: async (lines, bias) => {
      const { chip, offsets } = await find(lines, run);
      return parseLevels(await run('gpioget', [...biasArgsV1(bias), chip, ...offsets]), lines.length);
    },
    monitor: async (lines, bias) => {
      const { chip, offsets } = await find(lines, run);
      const names = new Map(offsets.map((offset, index) => [offset, lines[index] ?? offset]));
      return {
        program: 'gpiomon',
        /* Without -b the edges would come 4 KiB at a time. */
        args: ['-b', ...biasArgsV1(bias), '-F', '%o %e %s %n', chip, ...offsets],
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
      /* Version 1.6 has no repetition. On SIGTERM it releases the line immediately. */
      const script = `trap 'kill $p; exit 0' TERM; while :; do ${steps.join('; ')}; done`;
      return { program: 'sh', args: ['-c', script] };
    },
  };
}

function biasArgsV1(bias: Bias): string[] {
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
  throw unexpectedOutput('gpiofind', text, 'a chip and an offset');
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
    throw unexpectedOutput('gpiomon', text, 'an edge');
  }
  return { line, high: kind === '1', at: stampOf(seconds, nanoseconds) };
}

/** libgpiod 2.x, as in Debian trixie: lines by name. */
export function toolsV2(version: string, run: RunTool): GpioTools {
  return {
    version,
    major: 2,
    levels: async (lines, bias) =>
      parseLevels(await run('gpioget', [...biasArgsV2(bias), '--numeric', ...lines]), lines.length),
    monitor: async (lines, bias) => ({
      program: 'gpiomon',
      args: ['--banner', ...biasArgsV2(bias), '--unquoted', '-F', '%l %e %S', ...lines],
      parse: parseEdgeV2,
    }),
    blink: async (line, activeLow, periods) => ({
      program: 'gpioset',
      args: [...(activeLow ? ['-l'] : []), '-t', periods.join(','), `${line}=1`],
    }),
  };
}

function biasArgsV2(bias: Bias): string[] {
  return bias === 'as-is' ? [] : ['-b', bias];
}

/**
 * An edge in the format `%l %e %S`: `GPIO17 2 11.255477775` fell 11.255 s after the start of the machine. The banner
 * (`Monitoring lines …`) is not an edge.
 */
export function parseEdgeV2(text: string): LineEdge | undefined {
  if (text === '' || text.startsWith('Monitoring ')) return undefined;
  const [, line, kind, seconds, nanoseconds] = /^(\S+) ([12]) (\d+)\.(\d{9})$/.exec(text) ?? [];
  if (line === undefined) {
    throw unexpectedOutput('gpiomon', text, 'an edge');
  }
  return { line, high: kind === '1', at: stampOf(seconds, nanoseconds) };
}

function stampOf(seconds: string | undefined, nanoseconds: string | undefined): MonotonicMs {
  return monotonicMs(Number(seconds) * 1_000 + Math.floor(Number(nanoseconds) / 1e6));
}

/** The levels that `gpioget` prints: one digit per line, such as `1 0`. Throws GpioError. */
function parseLevels(text: string, lines: number): boolean[] {
  const digits = text.trim().split(/\s+/);
  if (digits.length !== lines || !digits.every((digit) => digit === '0' || digit === '1')) {
    throw unexpectedOutput('gpioget', text, `${lines} levels`);
  }
  return digits.map((digit) => digit === '1');
}

function unexpectedOutput(program: string, text: string, expected: string): GpioError {
  return new GpioError(
    'gpio-output',
    `${program} printed ${JSON.stringify(text.slice(0, 80))}: expected ${expected}`,
  );
}
