import { xmlText } from './xml-text.ts';

/** Text that is markup already: XML, or HTML that XML rules escape. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Content = string | number | Markup | readonly Markup[] | undefined;

/**
 * A template of markup, as in markup`<b>${name}</b>`. Strings are escaped, for elements and for quoted
 * attributes alike; markup stands as it is, several one after another; undefined is nothing.
 */
export function markup(strings: TemplateStringsArray, ...contents: readonly Content[]): Markup {
  return new Markup(String.raw({ raw: strings }, ...contents.map(textOf)));
}

function textOf(content: Content): string {
  if (content === undefined) return '';
  if (content instanceof Markup) return content.text;
  return typeof content === 'object' ? content.map(textOf).join('') : xmlText(String(content));
}
