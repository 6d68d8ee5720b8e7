import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { isPrinting } from './printing.ts';

interface WindowedListProps<Item> {
  readonly label: string;
  readonly class: string;
  readonly items: readonly Item[];
  readonly keyOf: (item: Item) => string;
  /** The content of a row. In a list with the class `long`, all rows must have the same height. */
  readonly row: (item: Item, index: number) => ComponentChildren;
}

/** Lists that are not longer are rendered as a whole, so that the browser's own search finds everything. */
const short = 100;

/** Rows that are rendered above and below the screen, for users of the keyboard, and for fast scrolling. */
const more = 12;

/** The height of the rows that were shown last: when the user comes back, the page has the same height. */
let lastHeight = 64;

/** A list that renders only the rows on the screen, and leaves room for the others. */
export function WindowedList<Item>({ label, class: name, items, keyOf, row }: WindowedListProps<Item>) {
  const list = useRef<HTMLUListElement>(null);
  const height = useSignal(lastHeight);
  const first = useSignal(0);
  const onScreen = useSignal(24);
  const isLong = items.length > short && !isPrinting.value;
  useLayoutEffect(() => {
    if (!isLong) return;
    const measure = () => {
      const { current } = list;
      const sample = current?.querySelector('li');
      if (!current || !sample) return;
      lastHeight = sample.getBoundingClientRect().height || lastHeight;
      height.value = lastHeight;
      onScreen.value = Math.ceil(innerHeight / height.value);
      const above = Math.floor(-current.getBoundingClientRect().top / height.value);
      /* In steps, so that most scroll events render nothing. */
      first.value = Math.max(0, Math.floor((above - more) / 4) * 4);
    };
    measure();
    addEventListener('scroll', measure, { passive: true });
    addEventListener('resize', measure);
    return () => {
      removeEventListener('scroll', measure);
      removeEventListener('resize', measure);
    };
  }, [isLong, items.length]);
  const from = isLong ? Math.min(first.value, Math.max(0, items.length - onScreen.value)) : 0;
  const to = isLong ? Math.min(items.length, from + onScreen.value + 2 * more + 4) : items.length;
  const room = {
    paddingTop: `${from * height.value}px`,
    paddingBottom: `${(items.length - to) * height.value}px`,
  };
  return (
    /* It gets the focus when a row that has it is no longer rendered: see `keepFocus`. */
    <ul
      ref={list}
      class={isLong ? `${name} long` : name}
      aria-label={label}
      tabIndex={-1}
      style={isLong ? room : {}}
    >
      {items.slice(from, to).map((item, index) => (
        <li key={keyOf(item)} aria-setsize={items.length} aria-posinset={from + index + 1}>
          {row(item, from + index)}
        </li>
      ))}
    </ul>
  );
}
