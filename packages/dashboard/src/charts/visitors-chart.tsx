import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { compact } from '../text/locale.ts';
import type { Bar } from './bars.ts';
import { bandOf, labelEvery, type Plot, ticksTo } from './scale.ts';
import { useWidth } from './use-width.ts';

interface VisitorsChartProps {
  readonly bars: readonly Bar[];
  /** The whole chart in a sentence; how to move in it follows. */
  readonly summary: string;
  /** The values of a bar. */
  readonly details: (bar: Bar) => ComponentChildren;
  /** What is drawn below, with the same horizontal positions. */
  readonly below?: (plot: Plot) => ComponentChildren;
}

/**
 * Visitors as bars, in front of those of the compared period in grey. A bar that is not over is hatched, one that is
 * incomplete has a mark. The pointer, a finger and the arrow keys show the values of a bar.
 */
export function VisitorsChart({ bars, summary, details, below }: VisitorsChartProps) {
  const { element, width } = useWidth();
  const chosen = useSignal<number | undefined>(undefined);
  const plot: Plot = { width, height: width < 500 ? 200 : 260, left: 36, bottom: 24, top: 12 };
  const active = chosen.value === undefined ? undefined : bars[chosen.value];
  const choose = (index: number) => {
    chosen.value = Math.max(0, Math.min(bars.length - 1, index));
  };
  const onPointer = ({ clientX, currentTarget }: PointerEvent) => {
    if (!(currentTarget instanceof HTMLElement)) return;
    const x = clientX - currentTarget.getBoundingClientRect().left - plot.left;
    choose(Math.floor((x * bars.length) / (plot.width - plot.left)));
  };
  const onKey = (event: KeyboardEvent) => {
    const at = chosen.value;
    const steps: Record<string, number> = {
      ArrowRight: (at ?? -1) + 1,
      ArrowLeft: (at ?? bars.length) - 1,
      Home: 0,
      End: bars.length - 1,
    };
    const next = steps[event.key];
    if (next !== undefined) choose(next);
    else if (event.key === 'Escape') chosen.value = undefined;
    else return;
    event.preventDefault();
  };
  const clear = () => {
    chosen.value = undefined;
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for inputs
    <div
      class="chart"
      ref={element}
      role="group"
      aria-label={summary}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys move from bar to bar
      tabIndex={0}
      onKeyDown={onKey}
      onPointerMove={onPointer}
      onPointerDown={onPointer}
      onPointerLeave={({ pointerType }) => pointerType === 'mouse' && clear()}
      onBlur={clear}
    >
      {width > 0 && <Bars bars={bars} plot={plot} active={chosen.value} />}
      {width > 0 && below?.(plot)}
      <output class="tip-place">
        {active && (
          <Tip plot={plot} index={chosen.value ?? 0} count={bars.length}>
            {details(active)}
          </Tip>
        )}
      </output>
    </div>
  );
}

interface TipProps {
  readonly plot: Plot;
  readonly index: number;
  readonly count: number;
  readonly children: ComponentChildren;
}

/** The values of a bar, on the side of it with more room. */
function Tip({ plot, index, count, children }: TipProps) {
  const { x, width } = bandOf(plot, index, count);
  const isLeft = x + width / 2 > plot.width / 2;
  const place = isLeft ? { right: `${plot.width - x + 6}px` } : { left: `${x + width + 6}px` };
  return (
    <div class="tip" style={place}>
      {children}
    </div>
  );
}

interface BarsProps {
  readonly bars: readonly Bar[];
  readonly plot: Plot;
  readonly active: number | undefined;
}

function Bars({ bars, plot, active }: BarsProps) {
  const ticks = ticksTo(Math.max(...bars.map(({ visitors, ghost }) => Math.max(visitors ?? 0, ghost ?? 0))));
  const top = ticks.at(-1) ?? 1;
  const base = plot.height - plot.bottom;
  const y = (value: number) => base - ((base - plot.top) * value) / top;
  const longest = Math.max(...bars.map(({ label }) => label.length));
  const every = labelEvery(bars.length, plot.width - plot.left, 14 + longest * 6.5);
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
      {ticks.map((tick) => (
        <g key={tick}>
          <line
            class={tick === 0 ? 'axis' : 'grid'}
            x1={plot.left}
            x2={plot.width}
            y1={y(tick)}
            y2={y(tick)}
          />
          <text class="tick end" x={plot.left - 8} y={y(tick) + 4}>
            {compact(tick)}
          </text>
        </g>
      ))}
      {bars.map((bar, index) => (
        <g key={bar.from} class={index === active ? 'active' : ''}>
          <OneBar bar={bar} band={bandOf(plot, index, bars.length)} y={y} base={base} />
          {index % every === 0 && (
            <text class="tick middle" x={middle(plot, index, bars.length)} y={plot.height - 6}>
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

function OneBar({ bar, band, y, base }: OneBarProps) {
  const { visitors, ghost, isRunning, reasons } = bar;
  const gap = band.width > 6 ? Math.min(band.width * 0.14, 10) : band.width * 0.08;
  const wide = { x: band.x + gap, width: band.width - 2 * gap };
  const inset = wide.width > 10 ? wide.width * 0.16 : 0;
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
      {reasons.length > 0 && (
        <path
          class="gap-mark"
          d={`M${x - 5} ${base - 3}h10l-5 -9z`}
          transform={`translate(0 ${y(visitors ?? 0) - base - 2})`}
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
