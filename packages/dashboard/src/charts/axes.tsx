import { compact } from '../text/locale.ts';

/** Whole numbers for the lines of an axis: 0, then equal steps, which are round; the last is at least `max`. */
export function ticksTo(max: number, count = 4): number[] {
  const rough = Math.max(1, max) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const round = [1, 2, 2.5, 5, 10].map((one) => one * power);
  const step = round.find((one) => one >= rough && Number.isInteger(one)) ?? 1;
  const steps = Math.ceil(Math.max(1, max) / step);
  return Array.from({ length: steps + 1 }, (_, index) => index * step);
}

/** Which bars have a label: every n-th from the first of a day on, so that labels keep a distance (px). */
export function areLabelled(
  bars: readonly { readonly isFirst?: boolean }[],
  width: number,
  distance: number,
): boolean[] {
  const most = Math.max(1, Math.floor(width / distance));
  const rough = Math.ceil(bars.length / most);
  const every = [1, 2, 3, 4, 6, 7, 12, 14, 28].find((one) => one >= rough) ?? rough;
  const isFirst = ({ isFirst = false }: { readonly isFirst?: boolean }) => isFirst;
  return bars.map((_, index) => {
    const first = Math.max(0, bars.slice(0, index + 1).findLastIndex(isFirst));
    const next = bars.slice(index + 1).findIndex(isFirst);
    return (index - first) % every === 0 && (index === first || next === -1 || next + 1 >= every);
  });
}

/** The size of a bar chart, in pixels. */
export interface Plot {
  readonly width: number;
  readonly height: number;
  /** Room for the labels of the axes. */
  readonly left: number;
  readonly bottom: number;
  readonly top: number;
}

/** The horizontal position of bar `index` of `count`, and its width. */
export function bandOf({ width, left }: Plot, index: number, count: number) {
  const band = (width - left) / Math.max(1, count);
  return { x: left + index * band, width: band };
}

/**
 * The horizontal position of an instant (epoch ms) among bars of time; undefined where no bar is.
 */
export function positionOf(
  plot: Plot,
  bars: readonly { readonly from: string; readonly to: string }[],
  at: number,
): number | undefined {
  const index = bars.findIndex(({ from, to }) => Date.parse(from) < at && at <= Date.parse(to));
  const bar = bars[index];
  if (bar === undefined) return undefined;
  const { x, width } = bandOf(plot, index, bars.length);
  const [from, to] = [Date.parse(bar.from), Date.parse(bar.to)];
  return x + (width * (at - from)) / (to - from);
}

interface GridLinesProps {
  readonly ticks: readonly number[];
  readonly plot: Plot;
  /** The vertical position of a value. */
  readonly y: (value: number) => number;
}

/** The horizontal lines of a chart, each with its value. */
export function GridLines({ ticks, plot, y }: GridLinesProps) {
  return (
    <>
      {ticks.map((tick) => (
        <g key={tick}>
          <line
            class={tick === 0 ? 'axis' : 'grid'}
            x1={plot.left}
            x2={plot.width}
            y1={y(tick)}
            y2={y(tick)}
          />
          <text class="tick" text-anchor="end" x={plot.left - 8} y={y(tick) + 4}>
            {compact(tick)}
          </text>
        </g>
      ))}
    </>
  );
}
