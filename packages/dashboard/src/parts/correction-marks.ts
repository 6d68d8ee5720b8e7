import type uPlot from 'uplot';
import type { Bucket, Corrected } from '../data/shapes.ts';
import { signed } from '../text/locale.ts';

/** px */
const size = 5;

/** A correction with its position in the chart: hours are columns of width 1 around whole numbers. */
export interface Mark extends Corrected {
  readonly x: number;
}

/** The marks of all corrections in force, in order. */
export function marksOf(hours: readonly Bucket[]): Mark[] {
  return hours.flatMap(({ from, to, corrections = [] }, column) => {
    const begin = Date.parse(from);
    const length = Date.parse(to) - begin;
    return corrections.map((one) => ({ ...one, x: column - 0.5 + (Date.parse(one.at) - begin) / length }));
  });
}

interface Colours {
  readonly mark: string;
  readonly text: string;
  readonly surface: string;
}

/** Draws a line from the old number to the new one, with the name of the person and the difference. */
export function drawMarks(chart: uPlot, marks: readonly Mark[], colours: Colours): void {
  const { ctx } = chart;
  ctx.save();
  ctx.font = `${Math.round(12 * devicePixelRatio)}px system-ui, sans-serif`;
  ctx.textBaseline = 'top';
  ctx.lineJoin = 'round';
  for (const mark of marks) {
    const x = chart.valToPos(mark.x, 'x', true);
    const [was, is] = [chart.valToPos(mark.was, 'y', true), chart.valToPos(mark.people, 'y', true)];
    ctx.lineWidth = 2 * devicePixelRatio;
    ctx.strokeStyle = colours.mark;
    ctx.beginPath();
    ctx.moveTo(x, was);
    ctx.lineTo(x, is);
    ctx.stroke();
    ctx.fillStyle = colours.mark;
    ctx.fill(diamond(x, is, size * devicePixelRatio));
    label(chart, `${mark.by}: ${signed(mark.people - mark.was)}`, { x, y: Math.min(was, is) }, colours);
  }
  ctx.restore();
}

/** Writes a label on the side with more room, with an outline so that it is legible above bars and lines. */
function label(
  { ctx, bbox }: uPlot,
  words: string,
  { x, y }: { readonly x: number; readonly y: number },
  colours: Colours,
): void {
  const isLeft = x < bbox.left + bbox.width / 2;
  ctx.textAlign = isLeft ? 'left' : 'right';
  const left = x + (isLeft ? 1 : -1) * 1.6 * size * devicePixelRatio;
  ctx.lineWidth = 4 * devicePixelRatio;
  ctx.strokeStyle = colours.surface;
  ctx.strokeText(words, left, y);
  ctx.fillStyle = colours.text;
  ctx.fillText(words, left, y);
}

function diamond(x: number, y: number, r: number): Path2D {
  return new Path2D(`M${x} ${y - r}L${x + r} ${y}L${x} ${y + r}L${x - r} ${y}Z`);
}
