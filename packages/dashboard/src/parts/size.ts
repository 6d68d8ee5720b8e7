import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

/** How much larger than usual text is in the settings of the browser. */
export const textScale = () => Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;

/** An element, and its size (CSS pixels), also after it has changed; undefined before it is known. */
export function useSize() {
  const element = useRef<HTMLDivElement>(null);
  const size = useSignal<{ readonly width: number; readonly height: number } | undefined>(undefined);
  useEffect(() => {
    const { current } = element;
    if (current === null) return;
    const measure = () => {
      size.value = { width: current.clientWidth, height: current.clientHeight };
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  return { element, size: size.value };
}
