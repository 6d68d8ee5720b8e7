import { Glyph } from '../../parts/glyph.tsx';
import { shortDate } from '../../text/dates.ts';
import { text } from '../../text/text.ts';
import type { Span } from './spans.ts';
import { SpansField } from './spans-field.tsx';

/** A date with other hours. */
export interface Dated {
  readonly date: string;
  readonly open: readonly Span[];
  readonly note: string;
}

interface ExceptionListProps {
  readonly today: string;
  readonly exceptions: readonly Dated[];
  readonly onChange: (exceptions: readonly Dated[]) => void;
}

/** Dates with other hours; those that are past are only counted. */
export function ExceptionList({ today, exceptions, onChange }: ExceptionListProps) {
  const change = (index: number, part: Partial<Dated>) =>
    onChange(exceptions.map((one, at) => (at === index ? { ...one, ...part } : one)));
  const past = exceptions.filter(({ date }) => date !== '' && date < today).length;
  return (
    <div class="stack">
      <h3>{text.settings.exceptions}</h3>
      {past > 0 && <p class="small">{text.settings.past(past)}</p>}
      <ul class="days">
        {exceptions.map(({ date, open, note }, index) =>
          date !== '' && date < today ? null : (
            <li key={index} class="dated">
              <input
                type="date"
                aria-label={text.settings.date}
                min={today}
                value={date}
                onInput={({ currentTarget }) => change(index, { date: currentTarget.value })}
              />
              <SpansField
                label={date === '' ? text.settings.date : shortDate(date)}
                spans={open}
                onChange={(open) => change(index, { open })}
              />
              <input
                aria-label={text.settings.note}
                placeholder={text.settings.note}
                maxLength={100}
                value={note}
                onInput={({ currentTarget }) => change(index, { note: currentTarget.value })}
              />
              <button
                type="button"
                class="quiet icon"
                aria-label={`${date === '' ? '' : shortDate(date)} ${text.settings.remove}`.trim()}
                title={text.settings.remove}
                onClick={() => onChange(exceptions.filter((_, at) => at !== index))}
              >
                <Glyph name="close" />
              </button>
            </li>
          ),
        )}
      </ul>
      <div class="row">
        <button type="button" onClick={() => onChange([...exceptions, { date: '', open: [], note: '' }])}>
          <Glyph name="plus" />
          {text.settings.addDate}
        </button>
      </div>
    </div>
  );
}
