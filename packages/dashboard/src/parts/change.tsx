import { signedPercent } from '../text/locale.ts';
import { Glyph } from './glyph.tsx';

interface ChangeProps {
  readonly now: number;
  readonly before: number | null;
}

/** How much a number has changed, in percent; nothing if there is nothing to compare it with. */
export function Change({ now, before }: ChangeProps) {
  if (before === null || before === 0) return null;
  const ratio = now / before - 1;
  const direction = ratio > 0 ? 'up' : ratio < 0 ? 'down' : 'level';
  return (
    <span class={`change ${direction}`}>
      {direction !== 'level' && <Glyph name={direction === 'up' ? 'up' : 'fall'} />}
      {signedPercent(ratio)}
    </span>
  );
}
