import { Glyph } from '../../parts/glyph.tsx';
import { text } from '../../text/text.ts';
import { RemoveButton } from './remove-button.tsx';
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
  const change = (index: number, part: Partial<Span>) =>
    onChange(spans.map((span, at) => (at === index ? { ...span, ...part } : span)));
  const last = spans.at(-1);
  return (
    <div class="spans">
      {spans.length === 0 && <span class="no-spans">{text.opening.closed}</span>}
      {spans.map((span, index) => (
        <div class="span" key={index}>
          <input
            type="time"
            aria-label={`${label}: ${text.settings.from}`}
            value={span.from}
            onInput={({ currentTarget }) => change(index, { from: currentTarget.value })}
          />
          <span aria-hidden="true">–</span>
          <input
            type="time"
            aria-label={`${label}: ${text.settings.to}`}
            value={span.to}
            onInput={({ currentTarget }) => change(index, { to: currentTarget.value })}
          />
          {span.from === '00:00' && span.to === '00:00' && (
            <span class="small">{text.settings.wholeDay}</span>
          )}
          <RemoveButton
            label={`${label}: ${text.remove}`}
            onRemove={() => onChange(spans.filter((_, at) => at !== index))}
          />
        </div>
      ))}
      {spans.length < most && (
        <button
          type="button"
          class="quiet"
          aria-label={`${label}: ${text.settings.addHours}`}
          onClick={() =>
            onChange([...spans, last ? { from: last.to, to: '' } : { from: '09:00', to: '18:00' }])
          }
        >
          <Glyph name="plus" />
          {text.settings.addHours}
        </button>
      )}
    </div>
  );
}
