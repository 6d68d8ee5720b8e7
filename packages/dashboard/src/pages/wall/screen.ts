import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

/** After this time without a pointer or key the controls hide (ms). */
const idleAfter = 4_000;

/** How long a page of stores is shown (ms). */
const turnEvery = 12_000;

/** Whether nobody has moved a pointer or pressed a key for some seconds. */
export function useIdle(): boolean {
  const isIdle = useSignal(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    const active = () => {
      isIdle.value = false;
      clearTimeout(timer);
      timer = setTimeout(() => {
        isIdle.value = true;
      }, idleAfter);
    };
    active();
    for (const event of activities) addEventListener(event, active);
    return () => {
      clearTimeout(timer);
      for (const event of activities) removeEventListener(event, active);
    };
  }, []);
  return isIdle.value;
}

const activities = ['pointermove', 'pointerdown', 'keydown', 'focusin'] as const;

/** Shows one page after the other; arrow keys turn, and the space bar pauses. */
export function useTurns(pages: number) {
  const turn = useSignal(0);
  const isPaused = useSignal(false);
  const turnBy = (by: number) => {
    turn.value += by;
  };
  const pause = () => {
    isPaused.value = !isPaused.value;
  };
  useEffect(() => {
    if (pages < 2 || isPaused.value) return;
    const timer = setInterval(() => turnBy(1), turnEvery);
    return () => clearInterval(timer);
  }, [pages, isPaused.value, turn.value]);
  useEffect(() => {
    const onKey = ({ key, target }: KeyboardEvent) => {
      if (key === 'ArrowRight') turnBy(1);
      if (key === 'ArrowLeft') turnBy(-1);
      if (key === ' ' && !(target instanceof HTMLButtonElement)) pause();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  const page = ((turn.value % pages) + pages) % pages;
  return { page, isPaused: isPaused.value, turnBy, pause };
}
