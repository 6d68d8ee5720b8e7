import type { Device } from '../../data/shapes.ts';
import { hrefOf } from '../../parts/address.ts';
import { shortDate } from '../../text/dates.ts';
import { text } from '../../text/text.ts';

/** To the page on which a door is checked, with the day of the last check. */
export function CheckLink({ device: { serial, audit } }: { readonly device: Device }) {
  return (
    <a class="check" href={hrefOf({ page: 'audit', serial })}>
      {text.audit.link}
      <small>{audit ? shortDate(audit.to.slice(0, 10)) : text.audit.unchecked}</small>
    </a>
  );
}
