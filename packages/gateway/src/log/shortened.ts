/** The longest client id or topic of this product is far shorter. */
const maxLength = 200;

/** A text that a client chose, for the log: not so long that it fills it. */
export function shown(text: string): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}
