import { signal } from '@preact/signals';

/** Whether the page is being printed: charts are as wide as the paper, lists complete. */
export const isPrinting = signal(false);

/** What fits between the margins of A4 and inside a card (CSS px). */
export const paperWidth = 640;

addEventListener('beforeprint', () => {
  isPrinting.value = true;
});
addEventListener('afterprint', () => {
  isPrinting.value = false;
});

/**
 * Prints the page. A browser does not wait for changes that the start of printing causes, so the page changes
 * before.
 */
export function printPage(): void {
  isPrinting.value = true;
  setTimeout(() => print(), 100);
}
