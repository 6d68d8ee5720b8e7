import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface MenuProps {
  readonly button: ComponentChildren;
  /** Links and buttons. */
  readonly children: ComponentChildren;
}

/** A button that opens a list of links and buttons. A choice, Escape and a press elsewhere close it. */
export function Menu({ button, children }: MenuProps) {
  const element = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const close = (event: Event) => {
      const { current: menu } = element;
      const isInside = event.target instanceof Node && menu?.contains(event.target);
      if (menu && !isInside) menu.open = false;
    };
    addEventListener('pointerdown', close);
    addEventListener('focusin', close);
    return () => {
      removeEventListener('pointerdown', close);
      removeEventListener('focusin', close);
    };
  }, []);
  const shut = () => {
    if (element.current) element.current.open = false;
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    shut();
    element.current?.querySelector('summary')?.focus();
  };
  return (
    <details class="menu" ref={element} onKeyDown={onKey}>
      <summary class="button">{button}</summary>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: clicks of the links and buttons in it, which have keys */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: as above */}
      <div class="panel" onClick={shut}>
        {children}
      </div>
    </details>
  );
}
