import { compact } from '../text/locale.ts';
import type { Plot } from './scale.ts';

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
          <text class="tick end" x={plot.left - 8} y={y(tick) + 4}>
            {compact(tick)}
          </text>
        </g>
      ))}
    </>
  );
}
