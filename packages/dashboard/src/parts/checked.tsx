import type { Accuracy, Audit } from '../data/shapes.ts';
import { shortDate } from '../text/dates.ts';
import { text } from '../text/text.ts';

/** How accurately a door counts, as somebody has checked it last. */
export function Checked({ audit }: { readonly audit: Audit | null }) {
  if (audit === null || audit.result === 'pending') return <span class="small">{text.audit.unchecked}</span>;
  const { to, by, result } = audit;
  const lines = [line('in', result.in), line('out', result.out)].filter((one) => one !== undefined);
  return (
    <span class="small figure">
      {text.audit.checked(shortDate(to.slice(0, 10)), by)}: {lines.join(', ')}
    </span>
  );
}

function line(way: 'in' | 'out', { error, interval }: Accuracy): string | undefined {
  return error === null || interval === null ? undefined : text.audit.error(way, error, interval);
}
