import type { VisitorsQuery } from '../../data/visitors.ts';
import { FileLinks } from '../../parts/file-links.tsx';
import { Glyph } from '../../parts/glyph.tsx';
import { Menu } from '../../parts/menu.tsx';
import { printPage } from '../../parts/printing.ts';
import { text } from '../../text/text.ts';

interface DownloadsProps {
  readonly query: VisitorsQuery;
  readonly bucket: string;
}

/** What is on the screen, as a file. */
export function Downloads({ query, bucket }: DownloadsProps) {
  return (
    <Menu
      button={
        <>
          <Glyph name="download" />
          {text.store.download}
        </>
      }
    >
      <FileLinks path="/v1/visitors" query={{ ...query, bucket }} />
      <button type="button" onClick={printPage}>
        {text.store.print}
      </button>
    </Menu>
  );
}
