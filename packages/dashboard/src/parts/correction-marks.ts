import type uPlot from 'uplot';
import type { Bucket, Corrected } from '../api/shapes.ts';
import { text } from '../text/en.ts';

/** px */
const size = 5;

/** Where a correction stands in the chart: hours are columns of width 1 around whole numbers. */
export interface Mark extends Corrected {
  readonly x: number;
}

/** The marks of all corrections in force, in their order. */
export function marksOf(hours: readonly Bucket[]): Mark[] {
  return hours.flatMap(({ from, to, corrections = [] }, column) => {
    const begin = Date.parse(from);
    const length = Date.parse(to) - begin;
    return corrections.map((one) => ({ ...one, x: column - 0.5 + (Date.parse(one.at) - begin) / length }));
  });
}

/** Draws from what the number was to what it was set to, and writes who did it and by how much. */
export function drawMarks(
  chart: uPlot,
  marks: readonly Mark[],
  colours: { readonly mark: string; readonly text: string },
): void {
  const { ctx, bbox } = chart;
  ctx.save();
  ctx.font = `${Math.round(12 * devicePixelRatio)}px system-ui, sans-serif`;
  ctx.textBaseline = 'bottom';
  ctx.lineWidth = 2 * devicePixelRatio;
  ctx.strokeStyle = colours.mark;
  for (const mark of marks) {
    const x = chart.valToPos(mark.x, 'x', true);
    const [was, is] = [chart.valToPos(mark.was, 'y', true), chart.valToPos(mark.people, 'y', true)];
    ctx.beginPath();
    ctx.moveTo(x, was);
    ctx.lineTo(x, is);
    ctx.stroke();
    ctx.fillStyle = colours.mark;
    ctx.fill(diamond(x, is, size * devicePixelRatio));
    ctx.fillStyle = colours.text;
    const isLeft = x < bbox.left + bbox.width / 2;
    ctx.textAlign = isLeft ? 'left' : 'right';
    const beside = (isLeft ? 1 : -1) * 1.6 * size * devicePixelRatio;
    ctx.fillText(text.store.mark(mark), x + beside, Math.max(is, bbox.top + 16 * devicePixelRatio));
  }
  ctx.restore();
}

function diamond(x: number, y: number, r: number): Path2D {
  return new Path2D(`M${x} ${y - r}L${x + r} ${y}L${x} ${y + r}L${x - r} ${y}Z`);
}
