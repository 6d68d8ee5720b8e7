import { monotonicMs } from '../clock/time.ts';
import { GpioError } from './gpio-error.ts';
import type { Bias, GpioTools, LineEdge, RunTool } from './gpio-tools.ts';
import { parseLevels } from './parse-levels.ts';

/** libgpiod 2.x, as in Debian trixie: lines by name. */
export function toolsV2(version: string, run: RunTool): GpioTools {
  return {
    version,
    major: 2,
    levels: async (lines, bias) =>
      parseLevels(await run('gpioget', [...biasArgs(bias), '--numeric', ...lines]), lines.length),
    monitor: async (lines, bias) => ({
      program: 'gpiomon',
      args: ['--banner', ...biasArgs(bias), '--unquoted', '-F', '%l %e %S', ...lines],
      parse: parseEdgeV2,
    }),
    blink: async (line, activeLow, periods) => ({
      program: 'gpioset',
      args: [...(activeLow ? ['-l'] : []), '-t', periods.join(','), `${line}=1`],
    }),
  };
}

function biasArgs(bias: Bias): string[] {
  return bias === 'as-is' ? [] : ['-b', bias];
}

/**
 * An edge in the format `%l %e %S`: `GPIO17 2 11.255477775` fell 11.255 s after the start of the machine.
 * The banner (`Monitoring lines …`) is none.
 */
export function parseEdgeV2(text: string): LineEdge | undefined {
  if (text === '' || text.startsWith('Monitoring ')) return undefined;
  const [, line, kind, seconds, nanoseconds] = /^(\S+) ([12]) (\d+)\.(\d{9})$/.exec(text) ?? [];
  if (line === undefined) {
    throw new GpioError('gpio-output', `gpiomon printed ${JSON.stringify(text)}: expected an edge`);
  }
  const at = monotonicMs(Number(seconds) * 1_000 + Math.floor(Number(nanoseconds) / 1e6));
  return { line, high: kind === '1', at };
}
