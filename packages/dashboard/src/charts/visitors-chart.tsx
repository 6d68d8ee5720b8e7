import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { isPrinting, paperWidth } from '../parts/printing.ts';
import { Bars } from './bar-shapes.tsx';
import type { Bar } from './bars.ts';
import { bandOf, type Plot } from './scale.ts';
import { useChosenBar } from './use-chosen-bar.ts';

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
      {width > 0 && below?.(plot)}
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

/** An element, and its width in pixels, which changes with the window, and for printing. */
function useWidth() {
  const element = useRef<HTMLDivElement>(null);
  const width = useSignal(0);
  useEffect(() => {
    const { current } = element;
    if (current === null) return;
    width.value = current.clientWidth;
    const resized = new ResizeObserver(() => {
      width.value = current.clientWidth;
    });
    resized.observe(current);
    return () => resized.disconnect();
  }, []);
  return { element, width: isPrinting.value ? Math.min(width.value, paperWidth) : width.value };
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
