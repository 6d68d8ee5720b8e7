import type { Exception } from '../../data/settings-calls.ts';
import { shortDate } from '../../text/dates.ts';
import { text } from '../../text/text.ts';
import { type DayField, EditableList } from './editable-list.tsx';
import { fromSpan, toSpan } from './spans.ts';

/** Of a day, as /v1 allows. */
const most = 6;

/** When a store is open on a day, as /v1 has it, such as 09:00-12:30; closed without times. */
export function SpansField(day: DayField<string>) {
  const { label } = day;
  return (
    <EditableList
      {...day}
      class="spans"
      none={text.opening.closed}
      add={text.settings.addHours}
      most={most}
      next={(last) => (last === undefined ? '09:00-18:00' : fromSpan({ from: toSpan(last).to, to: '' }))}
      fields={(span, change) => {
        const { from, to } = toSpan(span);
        return (
          <>
            <input
              type="time"
              aria-label={`${label}: ${text.settings.from}`}
              value={from}
              onInput={({ currentTarget }) => change(fromSpan({ from: currentTarget.value, to }))}
            />
            <span aria-hidden="true">–</span>
            <input
              type="time"
              aria-label={`${label}: ${text.settings.to}`}
              value={to}
              onInput={({ currentTarget }) => change(fromSpan({ from, to: currentTarget.value }))}
            />
            {from === '00:00' && to === '00:00' && <span class="small">{text.settings.wholeDay}</span>}
          </>
        );
      }}
    />
  );
}

interface ExceptionsFieldProps {
  readonly today: string;
  readonly exceptions: readonly Exception[];
  readonly onChange: (exceptions: readonly Exception[]) => void;
}

/** Dates with other hours; those that are past are only counted. */
export function ExceptionsField({ today, exceptions, onChange }: ExceptionsFieldProps) {
  /* While somebody types the year, it begins with 0. */
  const isPast = ({ date }: Exception) => date > '1' && date < today;
  const past = exceptions.filter(isPast);
  const nameOf = ({ date }: Exception) => (date === '' ? text.settings.date : shortDate(date));
  return (
    <div class="stack">
      <h3>{text.settings.exceptions}</h3>
      {past.length > 0 && <p class="small">{text.settings.past(past.length)}</p>}
      <EditableList
        class="dates"
        entries={exceptions.filter((one) => !isPast(one))}
        onChange={(changed) => onChange([...past, ...changed])}
        nameOf={nameOf}
        add={text.settings.addDate}
        next={(): Exception => ({ date: '', open: [] })}
        fields={(exception, change) => (
          <>
            <input
              type="date"
              aria-label={text.settings.date}
              min={today}
              value={exception.date}
              onInput={({ currentTarget }) => change({ ...exception, date: currentTarget.value })}
            />
            <SpansField
              label={nameOf(exception)}
              entries={exception.open}
              onChange={(open) => change({ ...exception, open })}
            />
            <input
              aria-label={text.words.note}
              placeholder={text.words.note}
              maxLength={100}
              value={exception.note ?? ''}
              onInput={({ currentTarget }) => change({ ...exception, note: currentTarget.value })}
            />
          </>
        )}
      />
    </div>
  );
}
