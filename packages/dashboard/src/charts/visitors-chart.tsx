import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { isPrinting, paperWidth } from '../parts/printing.ts';
import { useSize } from '../parts/size.ts';
import { bandOf, type Plot } from './axes.tsx';
import { Bars } from './bar-shapes.tsx';
import type { Bar } from './bars.ts';

interface VisitorsChartProps {
  readonly bars: readonly Bar[];
  /** The whole chart in a sentence; how to move in it follows. */
  readonly summary: string;
  /** The values of a bar. */
  readonly details: (bar: Bar) => ComponentChildren;
  /** What is drawn below, with the same horizontal positions. */
  readonly below: (plot: Plot) => ComponentChildren;
}

/**
 * Visitors as bars, in front of those of the compared period in grey. A bar that is not over is hatched, one that is
 * incomplete has a mark. The pointer, a finger and the arrow keys show the values of a bar.
 */
export function VisitorsChart({ bars, summary, details, below }: VisitorsChartProps) {
  const { element, size } = useSize();
  /* On paper it is as wide as the paper. */
  const width = Math.min(size?.width ?? 0, isPrinting.value ? paperWidth : Number.POSITIVE_INFINITY);
  const height = width < 500 ? 200 : width < 1_100 ? 260 : 300;
  const plot: Plot = { width, height, left: 36, bottom: 24, top: 12 };
  const { chosen, handlers } = useChosenBar(bars.length, plot);
  const active = chosen === undefined ? undefined : bars[chosen];
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for inputs
    <div
      class="chart"
      ref={element}
      role="group"
      aria-label={summary}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys move from bar to bar
      tabIndex={0}
      {...handlers}
    >
      {width > 0 && <Bars bars={bars} plot={plot} active={chosen} />}
      {width > 0 && below(plot)}
      <output class="tip-place">
        {active && (
          <Tip plot={plot} index={chosen ?? 0} count={bars.length}>
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

/** The bar whose values are shown, chosen by the pointer, a finger or the arrow keys, and the handlers that choose it. */
function useChosenBar(count: number, { left, width }: Plot) {
  const chosen = useSignal<number | undefined>(undefined);
  const choose = (index: number) => {
    chosen.value = Math.max(0, Math.min(count - 1, index));
  };
  const clear = () => {
    chosen.value = undefined;
  };
  const onPointer = ({ clientX, currentTarget }: PointerEvent) => {
    if (!(currentTarget instanceof HTMLElement)) return;
    const x = clientX - currentTarget.getBoundingClientRect().left - left;
    choose(Math.floor((x * count) / (width - left)));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const steps: Record<string, number> = {
      ArrowRight: (chosen.value ?? -1) + 1,
      ArrowLeft: (chosen.value ?? count) - 1,
      Home: 0,
      End: count - 1,
    };
    const next = steps[event.key];
    if (next !== undefined) choose(next);
    else if (event.key === 'Escape') clear();
    else return;
    event.preventDefault();
  };
  const onPointerLeave = ({ pointerType }: PointerEvent) => {
    /* A finger leaves when it is lifted; what it chose remains. */
    if (pointerType === 'mouse') clear();
  };
  const handlers = {
    onKeyDown,
    onPointerMove: onPointer,
    onPointerDown: onPointer,
    onPointerLeave,
    onBlur: clear,
  };
  return { chosen: chosen.value, handlers };
}
