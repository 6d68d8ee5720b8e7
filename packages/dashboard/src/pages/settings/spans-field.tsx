import { text } from '../../text/text.ts';
import { DayEntries } from './entries.tsx';
import type { Span } from './spans.ts';

/** Of a day, as /v1 allows. */
const most = 6;

interface SpansFieldProps {
  /** The day, for screen readers. */
  readonly label: string;
  readonly spans: readonly Span[];
  readonly onChange: (spans: readonly Span[]) => void;
}

/** When a store is open on a day; closed without times. */
export function SpansField({ label, spans, onChange }: SpansFieldProps) {
  return (
    <DayEntries
      {...{ label, onChange, most }}
      entries={spans}
      words={{ none: text.opening.closed, add: text.settings.addHours }}
      next={(last) => (last ? { from: last.to, to: '' } : { from: '09:00', to: '18:00' })}
      fields={({ from, to }, change) => (
        <>
          <input
            type="time"
            aria-label={`${label}: ${text.settings.from}`}
            value={from}
            onInput={({ currentTarget }) => change({ from: currentTarget.value })}
          />
          <span aria-hidden="true">–</span>
          <input
            type="time"
            aria-label={`${label}: ${text.settings.to}`}
            value={to}
            onInput={({ currentTarget }) => change({ to: currentTarget.value })}
          />
          {from === '00:00' && to === '00:00' && <span class="small">{text.settings.wholeDay}</span>}
        </>
      )}
    />
  );
}
