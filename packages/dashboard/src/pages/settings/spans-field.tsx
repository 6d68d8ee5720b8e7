import { text } from '../../text/text.ts';
import { DayEntries } from './entries.tsx';
import { fromSpan, toSpan } from './spans.ts';

/** Of a day, as /v1 allows. */
const most = 6;

interface SpansFieldProps {
  /** The day, for screen readers. */
  readonly label: string;
  /** As /v1 has them, such as 09:00-12:30. */
  readonly spans: readonly string[];
  readonly onChange: (spans: readonly string[]) => void;
}

/** When a store is open on a day; closed without times. */
export function SpansField({ label, spans, onChange }: SpansFieldProps) {
  return (
    <DayEntries
      {...{ label, onChange, most }}
      entries={spans}
      words={{ none: text.opening.closed, add: text.settings.addHours }}
      next={(last) => (last === undefined ? '09:00-18:00' : fromSpan({ from: toSpan(last).to, to: '' }))}
      fields={(span, change) => <Times label={label} span={span} onChange={change} />}
    />
  );
}

interface TimesProps {
  readonly label: string;
  readonly span: string;
  readonly onChange: (span: string) => void;
}

function Times({ label, span, onChange }: TimesProps) {
  const { from, to } = toSpan(span);
  return (
    <>
      <input
        type="time"
        aria-label={`${label}: ${text.settings.from}`}
        value={from}
        onInput={({ currentTarget }) => onChange(fromSpan({ from: currentTarget.value, to }))}
      />
      <span aria-hidden="true">–</span>
      <input
        type="time"
        aria-label={`${label}: ${text.settings.to}`}
        value={to}
        onInput={({ currentTarget }) => onChange(fromSpan({ from, to: currentTarget.value }))}
      />
      {from === '00:00' && to === '00:00' && <span class="small">{text.settings.wholeDay}</span>}
    </>
  );
}
