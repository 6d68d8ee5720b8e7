import type { FileFormat } from '../../data/calls.ts';
import { type VisitorsQuery, visitorsPath } from '../../data/visitors.ts';
import { Glyph } from '../../parts/glyph.tsx';
import { Menu } from '../../parts/menu.tsx';
import { printPage } from '../../parts/printing.ts';
import { locale } from '../../text/locale.ts';
import { text } from '../../text/text.ts';

interface DownloadsProps {
  readonly query: VisitorsQuery;
  readonly bucket: string;
}

/** What is on the screen, as a file. */
export function Downloads({ query, bucket }: DownloadsProps) {
  const path = (format: FileFormat['format']) =>
    visitorsPath({ ...query, bucket }, { format, locale: locale() });
  return (
    <Menu
      button={
        <>
          <Glyph name="download" />
          {text.store.download}
        </>
      }
    >
      <a href={path('xlsx')} download>
        {text.store.xlsx}
      </a>
      <a href={path('csv')} download>
        {text.store.csv}
      </a>
      <button type="button" onClick={printPage}>
        {text.store.print}
      </button>
    </Menu>
  );
}
