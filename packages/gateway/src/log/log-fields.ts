/** The longest client id or topic of this product is far shorter. */
const maxLength = 200;

/** A text that a client chose, cut to a bounded length. */
export function shortened(text: string): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}
