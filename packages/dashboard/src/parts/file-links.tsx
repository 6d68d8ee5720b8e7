import { withQuery } from '../data/calls.ts';
import { locale } from '../text/locale.ts';
import { Glyph } from './glyph.tsx';

interface FileLinksProps {
  /** Of the same numbers, without a format. */
  readonly path: string;
  readonly query: Readonly<Record<string, string | null | undefined>>;
  readonly class?: string;
}

/** Links that download numbers as files; CSV as spreadsheets of the locale open it. */
export function FileLinks({ path, query, class: name }: FileLinksProps) {
  const files = { 'Excel (XLSX)': 'xlsx', CSV: 'csv' };
  return (
    <>
      {Object.entries(files).map(([words, format]) => (
        <a key={format} class={name} href={withQuery(path, { ...query, format, locale: locale() })} download>
          <Glyph name="download" />
          {words}
        </a>
      ))}
    </>
  );
}
