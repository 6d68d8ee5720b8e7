import { computed, signal } from '@preact/signals';
import { parseRoute } from '../parts/address.ts';

const hash = signal(location.hash);

/** The part of the page that the address names. */
export const route = computed(() => parseRoute(hash.value));

/** Whether the user came to the present page through a link, from another one. */
let isFollowed = false;

const pathOf = (fragment: string) => fragment.split('?')[0];

/* The browser restores the position of a page to which one goes back, so entries that were seen are marked. */
history.replaceState({ isSeen: true }, '');
addEventListener('hashchange', () => {
  isFollowed = history.state?.isSeen !== true && pathOf(location.hash) !== pathOf(hash.value);
  history.replaceState({ isSeen: true }, '');
  hash.value = location.hash;
});

/** Begins a page at its top, with the focus on its heading, if the user followed a link to it. */
export function beginAt(heading: HTMLElement): void {
  if (!isFollowed) return;
  isFollowed = false;
  scrollTo(0, 0);
  heading.focus({ preventScroll: true });
}
