const focusable = 'a[href], button, input, select, textarea, summary, [tabindex]';

/** Two presses of a key in so short a time (ms) are meant as one. */
const doublePress = 500;

const canHaveFocus = (element: HTMLElement) =>
  element.isConnected && !element.matches(':disabled') && element.checkVisibility();

/**
 * Keeps the place of users of the keyboard: if the element that has the focus is removed, hidden or disabled, the one before it
 * gets the focus. If none of those before it is left, it is the heading of the page. An element that is moved keeps the focus.
 */
export function keepFocus(): void {
  /** The element that has the focus, and those before it, the nearest first; empty while the focus is not shown. */
  let places: HTMLElement[] = [];
  addEventListener('focusin', ({ target }) => {
    const all = [...document.querySelectorAll<HTMLElement>(focusable)];
    const index = all.findIndex((element) => element === target && element.matches(':focus-visible'));
    places = all.slice(0, index + 1).reverse();
  });
  /* A key that is held, or pressed twice, must not press what gets the focus next as well. */
  let entered: { readonly at: number; readonly target: EventTarget | null } | undefined;
  addEventListener('keydown', (event) => {
    const { key, repeat, target } = event;
    const isTwice =
      entered !== undefined && entered.target !== target && Date.now() - entered.at < doublePress;
    entered = key === 'Enter' ? { at: Date.now(), target } : undefined;
    if (entered && (repeat || isTwice) && !(target instanceof HTMLTextAreaElement)) event.preventDefault();
  });
  /* The user has left it, also where the press moves no focus. */
  addEventListener('pointerdown', ({ target }) => {
    if (!(target instanceof Node && places[0]?.contains(target))) places = [];
  });
  const find = (changes: readonly MutationRecord[]) => {
    const [focused] = places;
    const { activeElement } = document;
    const isElsewhere = activeElement !== document.body && activeElement !== focused;
    if (focused === undefined || isElsewhere) return;
    /* An element that gets another place, as in a sorted list, is removed and added again, and loses the focus. */
    const isMoved = changes.some(({ removedNodes }) =>
      [...removedNodes].some((node) => node.contains(focused)),
    );
    if (canHaveFocus(focused) && !isMoved) return;
    const headings = document.querySelectorAll<HTMLElement>('h1[tabindex]');
    for (const place of [...places, ...headings]) {
      if (!canHaveFocus(place)) continue;
      place.focus({ preventScroll: true });
      /* Outside an open dialog nothing gets the focus. */
      if (document.activeElement === place) return;
    }
  };
  const changes = { subtree: true, childList: true, attributes: true, attributeFilter: ['disabled', 'open'] };
  new MutationObserver(find).observe(document.body, changes);
}
