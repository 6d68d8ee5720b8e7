import { useSignal } from '@preact/signals';
import type { Plot } from './scale.ts';

/** The bar whose values are shown, chosen by the pointer, a finger or the arrow keys, and the handlers that choose it. */
export function useChosenBar(count: number, { left, width }: Plot) {
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
