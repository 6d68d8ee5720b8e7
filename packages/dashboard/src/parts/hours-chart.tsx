import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { Bucket } from '../data/shapes.ts';
import { timeOf } from '../text/dates.ts';
import { text } from '../text/text.ts';
import { drawMarks, type Mark, marksOf } from './correction-marks.ts';

/** px */
const height = 240;

/** In and out by hour as bars, last week and occupancy as lines, corrections as marks. A table has the same numbers. */
export function HoursChart({ hours }: { readonly hours: readonly Bucket[] }) {
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | undefined>(undefined);
  const labels = useRef<readonly string[]>([]);
  const marks = useRef<readonly Mark[]>([]);
  const columns = hours.length;

  useEffect(() => {
    const { current: element } = place;
    if (element === null || columns === 0) return;
    labels.current = hours.map(({ from }) => timeOf(from));
    marks.current = marksOf(hours);
    if (chart.current) return chart.current.setData(dataOf(hours));
    chart.current = new uPlot(
      optionsOf(element, {
        labels: () => labels.current,
        marks: () => marks.current,
      }),
      dataOf(hours),
      element,
    );
  }, [hours]);

  useEffect(() => {
    const { current: element } = place;
    if (element === null) return;
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    const redraw = () => chart.current?.redraw(false);
    const resized = new ResizeObserver(() => chart.current?.setSize({ width: element.clientWidth, height }));
    resized.observe(element);
    scheme.addEventListener('change', redraw);
    return () => {
      resized.disconnect();
      scheme.removeEventListener('change', redraw);
      chart.current?.destroy();
      chart.current = undefined;
    };
  }, []);

  const total = (of: (hour: Bucket) => number) => hours.reduce((sum, hour) => sum + of(hour), 0);
  const counted = text.chart.summary(
    total((hour) => hour.in),
    text.ranges.today,
  );
  const corrected = marksOf(hours).map((mark) => text.store.corrected(mark, timeOf(mark.at)));
  const summary = [counted, ...corrected].join(' ');
  return <div class="chart" ref={place} role="img" aria-label={summary} />;
}

function dataOf(hours: readonly Bucket[]): uPlot.AlignedData {
  return [
    hours.map((_, index) => index),
    hours.map((hour) => hour.in),
    hours.map((hour) => hour.out),
    hours.map((hour) => hour.before?.in ?? null),
    hours.map((hour) => hour.occupancy ?? null),
  ];
}

/** Colours are read at each drawing, so that they follow the colour scheme of the page. */
function colour(name: string): () => string {
  return () => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

interface Content {
  readonly labels: () => readonly string[];
  readonly marks: () => readonly Mark[];
}

function optionsOf(element: HTMLElement, { labels, marks }: Content): uPlot.Options {
  const bars = uPlot.paths.bars;
  const half = (align: 1 | -1) => (bars ? { paths: bars({ size: [0.4, 40], align }) } : {});
  const axis = { stroke: colour('--text'), grid: { stroke: colour('--line'), width: 1 } };
  const points = { show: false };
  return {
    width: element.clientWidth,
    height,
    scales: {
      x: { time: false, range: (_, min, max) => [min - 0.6, Math.max(max, 1) + 0.6] },
      y: {
        range: (_, _min, max) =>
          fromZero(Math.max(max, ...marks().flatMap(({ was, people }) => [was, people]))),
      },
    },
    hooks: {
      draw: [
        (chart) =>
          drawMarks(chart, marks(), {
            mark: colour('--mark')(),
            text: colour('--text')(),
            surface: colour('--surface')(),
          }),
      ],
    },
    cursor: { drag: { x: false, y: false } },
    axes: [{ ...axis, values: (_, ticks) => ticks.map((tick) => labels()[tick] ?? '') }, axis],
    series: [
      { label: text.chart.columns.time, value: (_, index) => labels()[index] ?? '' },
      { label: text.doors.in, stroke: colour('--in'), fill: colour('--in'), points, ...half(-1) },
      { label: text.doors.out, stroke: colour('--out'), fill: colour('--out'), points, ...half(1) },
      { label: text.doors.before, stroke: colour('--before'), dash: [4, 4], width: 2 },
      { label: text.chart.inside, stroke: colour('--text'), width: 2 },
    ],
  };
}

function fromZero(max: number): [number, number] {
  return [0, Math.max(5, max * 1.1)];
}
