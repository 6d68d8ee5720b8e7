import { areLabelled, bandOf, GridLines, type Plot, ticksTo } from './axes.tsx';
import type { Bar } from './bars.ts';

interface BarsProps {
  readonly bars: readonly Bar[];
  readonly plot: Plot;
  readonly active: number | undefined;
}

/** The bars with their axes. */
export function Bars({ bars, plot, active }: BarsProps) {
  const ticks = ticksTo(Math.max(...bars.map(({ visitors, ghost }) => Math.max(visitors ?? 0, ghost ?? 0))));
  const top = ticks.at(-1) ?? 1;
  const base = plot.height - plot.bottom;
  const y = (value: number) => base - ((base - plot.top) * value) / top;
  const longest = Math.max(...bars.map(({ label }) => label.length));
  const isLabelled = areLabelled(bars, plot.width - plot.left, 14 + longest * 6.5);
  return (
    <svg
      width={plot.width}
      height={plot.height}
      viewBox={`0 0 ${plot.width} ${plot.height}`}
      aria-hidden="true"
    >
      <defs>
        <pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect class="hatch-back" width="6" height="6" />
          <rect class="hatch-line" width="3" height="6" />
        </pattern>
      </defs>
      <GridLines ticks={ticks} plot={plot} y={y} />
      {bars.map((bar, index) => (
        <g key={bar.from} class={index === active ? 'active' : ''}>
          <OneBar bar={bar} band={bandOf(plot, index, bars.length)} y={y} base={base} />
          {isLabelled[index] && (
            <text class="tick" text-anchor="middle" x={middle(plot, index, bars.length)} y={plot.height - 6}>
              {bar.label}
            </text>
          )}
        </g>
      ))}
    </svg>
  );
}

interface OneBarProps {
  readonly bar: Bar;
  readonly band: { readonly x: number; readonly width: number };
  readonly y: (value: number) => number;
  readonly base: number;
}

/** The widest bar (px): a few bars must not look like walls. */
const widest = 96;

function OneBar({ bar, band, y, base }: OneBarProps) {
  const { visitors, ghost, isRunning, reasons } = bar;
  const least = band.width > 6 ? Math.min(band.width * 0.14, 10) : band.width * 0.08;
  const gap = Math.max(least, (band.width - widest) / 2);
  const wide = { x: band.x + gap, width: band.width - 2 * gap };
  const inset = wide.width > 4 ? wide.width * (wide.width > 12 ? 0.16 : 0.22) : 0;
  const x = band.x + band.width / 2;
  return (
    <>
      <rect class="band" x={band.x} width={band.width} y={0} height={base} />
      {ghost !== null && ghost > 0 && <path class="ghost" d={column(wide.x, wide.width, y(ghost), base)} />}
      {visitors !== null && visitors > 0 && (
        <path
          class={isRunning ? 'bar running' : 'bar'}
          d={column(wide.x + inset, wide.width - 2 * inset, y(visitors), base)}
        />
      )}
      {visitors !== null && reasons.length > 0 && (
        <path
          class="gap-mark"
          d={`M${x - 5} ${base - 3}h10l-5 -9z`}
          transform={`translate(0 ${y(visitors) - base - 2})`}
        />
      )}
    </>
  );
}

/** A column with a round top. */
function column(x: number, width: number, top: number, base: number): string {
  const height = base - top;
  const r = Math.min(4, width / 2, height);
  return `M${x} ${base}v${-(height - r)}q0 ${-r} ${r} ${-r}h${width - 2 * r}q${r} 0 ${r} ${r}v${height - r}z`;
}

function middle(plot: Plot, index: number, count: number): number {
  const { x, width } = bandOf(plot, index, count);
  return x + width / 2;
}
