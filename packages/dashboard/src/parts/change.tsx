import type { Accuracy } from '../data/shapes.ts';
import { signedPercent } from '../text/locale.ts';
import { known, text } from '../text/text.ts';
import { Glyph } from './glyph.tsx';

interface ChangeProps {
  /** Of the times that both periods have; null if nothing is compared. */
  readonly now: number | null;
  readonly before: number | null;
  /** Why the number now is not complete, if it is not: then a change is neither good nor bad. */
  readonly gap?: string | undefined;
}

/** How much a number has changed, in percent; nothing if there is nothing to compare it with. */
export function Change({ now, before, gap }: ChangeProps) {
  if (now === null || before === null || before === 0) return null;
  /* As it is written: what rounds to nothing is no change. */
  const ratio = Math.round(1_000 * (now / before - 1)) / 1_000;
  const direction = ratio > 0 ? 'up' : ratio < 0 ? 'down' : 'level';
  const why = gap && incompleteWords(gap);
  return (
    <span class={`change ${why ? 'unsure' : direction}`} title={why}>
      {direction !== 'level' && <Glyph name={direction === 'up' ? 'up' : 'fall'} />}
      {signedPercent(ratio)}
      {why && <span class="hidden"> ({why})</span>}
    </span>
  );
}

/** The error of a counter, with its limits, such as -1% (-6.9% to +5.2%). */
export function errorText(error: number, { low, high }: NonNullable<Accuracy['interval']>): string {
  return `${signedPercent(error)} (${text.range(signedPercent(low), signedPercent(high))})`;
}

/** Why a number may still change or lacks people. */
export function incompleteWords(reason: string): string {
  return known(text.words.reasons, reason) ?? text.chart.gap;
}
