import { useEffect, useRef } from 'preact/hooks';
import { Way } from '../../data/shapes.ts';
import { Glyph } from '../../parts/glyph.tsx';
import { keepAwake } from '../../parts/keep-awake.ts';
import { clockAt } from '../../text/dates.ts';
import { number } from '../../text/locale.ts';
import { text } from '../../text/text.ts';
import { type KeptTaps, mostTaps, type Taps } from './taps.ts';

interface TapPadProps {
  readonly taps: Taps;
  readonly kept: KeptTaps;
  readonly onFinish: () => void;
}

/** Two large buttons, one for each direction, with what was tapped so far. */
export function TapPad({ taps, kept, onFinish }: TapPadProps) {
  useEffect(keepAwake, []);
  const { passages } = taps;
  const last = passages.at(-1);
  const countOf = (way: Way) => passages.filter(([, one]) => one === way).length;
  const isFull = passages.length >= mostTaps;
  return (
    <>
      <div class="pad">
        {Way.options.map((way) => (
          <TapButton
            key={way}
            way={way}
            count={countOf(way)}
            isOff={isFull}
            onTap={() => kept.add(Date.now(), way)}
          />
        ))}
      </div>
      <p class="last figure" role="status">
        {isFull && text.audit.full(mostTaps)}
        {!isFull && (last ? `${text.doors[last[1]]}: ${clockAt(last[0])}` : text.audit.nobody)}
      </p>
      {kept.isInMemoryOnly && <p class="problem">{text.audit.notKept}</p>}
      <div class="row spread">
        {/* It keeps the focus: a key that is pressed once more must not count somebody. */}
        <button type="button" aria-disabled={!last} onClick={() => kept.undo()}>
          <Glyph name="back" />
          {text.correction.undo}
        </button>
        <button type="button" class="primary" disabled={!last} onClick={onFinish}>
          {text.audit.finish}
        </button>
      </div>
    </>
  );
}

/** A click this long after a press (ms) does not belong to it: it is from a keyboard or a screen reader. */
const clickAfterPress = 700;

interface TapButtonProps {
  readonly way: Way;
  readonly count: number;
  readonly isOff: boolean;
  readonly onTap: () => void;
}

/**
 * Counts when a finger touches it, not when it leaves: two fingers at once, or two quick taps, are two people. The click
 * that a browser makes of a press does not count again.
 */
function TapButton({ way, count, isOff, onTap }: TapButtonProps) {
  const pressedAt = useRef(Number.NEGATIVE_INFINITY);
  const press = (event: PointerEvent) => {
    if (event.button !== 0) return;
    pressedAt.current = event.timeStamp;
    navigator.vibrate?.(25);
    onTap();
  };
  const release = (event: PointerEvent) => {
    pressedAt.current = event.timeStamp;
  };
  const click = (event: MouseEvent) => {
    if (event.timeStamp - pressedAt.current > clickAfterPress || event.detail === 0) onTap();
  };
  return (
    <button
      type="button"
      class={`tap ${way}`}
      disabled={isOff}
      onPointerDown={press}
      onPointerUp={release}
      onClick={click}
      onContextMenu={(event) => event.preventDefault()}
    >
      <span>{text.doors[way]}</span>{' '}
      <span key={count} class="count figure">
        {number(count)}
      </span>
    </button>
  );
}
