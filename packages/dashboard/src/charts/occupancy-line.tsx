import type { Corrected, Quarter } from '../data/shapes.ts';
import { timeOf } from '../text/dates.ts';
import { text } from '../text/text.ts';
import { GridLines, type Plot, positionOf, ticksTo } from './axes.tsx';
import type { Bar } from './bars.ts';

/** px */
const height = 96;

interface OccupancyLineProps {
  /** Quarter hours; the number of each is that at its end, in the current one that now. */
  readonly quarters: readonly Quarter[];
  readonly bars: readonly Bar[];
  readonly plot: Plot;
  readonly capacity: number | null;
  /** epoch ms */
  readonly now: number;
}

/** The people inside below the bars, at the times at which they were inside, with the capacity and what staff set. */
export function OccupancyLine({ quarters, bars, plot, capacity, now }: OccupancyLineProps) {
  const marks = quarters.flatMap(({ corrections }) => corrections);
  const numbers = [
    ...quarters.map(({ occupancy }) => occupancy),
    ...marks.flatMap(({ people, was }) => [people, was]),
  ];
  const peak = Math.max(1, ...numbers);
  const isCapacityNear = capacity !== null && capacity <= 3 * peak;
  const ticks = ticksTo(Math.max(peak, isCapacityNear ? capacity : 0), 2);
  const top = ticks.at(-1) ?? 1;
  const [ceiling, base] = [8, height - 4];
  const y = (value: number) => base - ((base - ceiling) * value) / top;
  const runs = runsOf(quarters, bars, plot, now);
  const said = [text.peopleInside, ...marks.map((mark) => text.store.corrected(mark, timeOf(mark.at)))].join(
    '. ',
  );
  return (
    <svg
      width={plot.width}
      height={height}
      viewBox={`0 0 ${plot.width} ${height}`}
      role="img"
      aria-label={said}
    >
      <GridLines ticks={ticks} plot={plot} y={y} />
      {runs.map((run) => (
        <g key={run[0]?.x}>
          <path class="area" d={`M${run[0]?.x} ${base}${lineTo(run, y)}L${run.at(-1)?.x} ${base}z`} />
          <path class="line" d={`M${lineTo(run, y).slice(1)}`} />
        </g>
      ))}
      {isCapacityNear && (
        <g>
          <line class="limit" x1={plot.left} x2={plot.width} y1={y(capacity)} y2={y(capacity)} />
          <text
            class="tick limit-label"
            x={plot.left + 6}
            y={y(capacity) - 4 < 10 ? y(capacity) + 13 : y(capacity) - 4}
          >
            {text.chart.capacity(capacity)}
          </text>
        </g>
      )}
      {marks.map((mark) => (
        <Mark key={mark.at} mark={mark} x={positionOf(plot, bars, Date.parse(mark.at))} y={y} />
      ))}
    </svg>
  );
}

/** What staff set: from the number before to theirs. */
function Mark({
  mark,
  x,
  y,
}: {
  readonly mark: Corrected;
  readonly x: number | undefined;
  readonly y: (n: number) => number;
}) {
  if (x === undefined) return null;
  const top = y(mark.people);
  return (
    <g class="mark">
      <line x1={x} x2={x} y1={y(mark.was)} y2={top} />
      <path d={`M${x} ${top - 5}l5 5l-5 5l-5 -5z`} />
    </g>
  );
}

interface Point {
  readonly x: number;
  readonly value: number;
}

/** The points of the line: one list for each period without a gap between its bars. */
function runsOf(quarters: readonly Quarter[], bars: readonly Bar[], plot: Plot, now: number): Point[][] {
  const runs: Point[][] = [];
  let previous: string | undefined;
  for (const { from, to, occupancy } of quarters) {
    const end = Math.min(Date.parse(to), Math.max(now, Date.parse(from) + 1));
    const x = positionOf(plot, bars, end);
    if (x === undefined) continue;
    const run = runs.at(-1);
    if (run && previous === from) run.push({ x, value: occupancy });
    else
      runs.push([
        { x: positionOf(plot, bars, Date.parse(from) + 1) ?? x, value: before(quarters, from) },
        { x, value: occupancy },
      ]);
    previous = to;
  }
  return runs;
}

/** The number at the begin of a quarter hour: that at the end of the one before, 0 at the begin of a day. */
function before(quarters: readonly Quarter[], from: string): number {
  return quarters.find(({ to }) => to === from)?.occupancy ?? 0;
}

function lineTo(run: readonly Point[], y: (value: number) => number): string {
  return run.map(({ x, value }) => `L${x.toFixed(1)} ${y(value).toFixed(1)}`).join('');
}
