import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { isPrinting, paperWidth } from '../parts/printing.ts';

/** An element, and its width in pixels, which changes with the window, and for printing. */
export function useWidth() {
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
