import { type Markup, markup } from '../../xml/markup.ts';

/** A description out of a schema: what stands between backticks is code. */
export function prose(text: string): Markup[] {
  return text
    .split('`')
    .map((part, index) => (index % 2 === 1 ? markup`<code>${part}</code>` : markup`${part}`));
}
