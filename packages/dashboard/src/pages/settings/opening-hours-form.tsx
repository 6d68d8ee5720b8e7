import { useSignal } from '@preact/signals';
import { type Exception, type OpeningHours, saveStoreSettings } from '../../data/settings-calls.ts';
import { Segmented } from '../../parts/segmented.tsx';
import { shortDate, weekday } from '../../text/dates.ts';
import { text } from '../../text/text.ts';
import { CalendarImport } from './calendar-import.tsx';
import { type Dated, ExceptionList } from './exception-list.tsx';
import { SaveForm } from './save-form.tsx';
import { fromSpan, problemOf, type Span, toSpan, weekInOrder } from './spans.ts';
import { SpansField } from './spans-field.tsx';

/** What is entered. */
interface Draft {
  readonly isAlwaysOpen: boolean;
  readonly week: Readonly<Record<string, readonly Span[]>>;
  readonly exceptions: readonly Dated[];
}

interface OpeningHoursFormProps {
  readonly sid: string;
  readonly hours: OpeningHours | null;
  readonly today: string;
}

/** When a store is open: by weekday, and on dates with other hours. */
export function OpeningHoursForm({ sid, hours, today }: OpeningHoursFormProps) {
  const saved = useSignal(JSON.stringify(hours));
  const draft = useSignal<Draft>(draftOf(hours));
  const set = (change: Partial<Draft>) => {
    draft.value = { ...draft.value, ...change };
  };
  const { isAlwaysOpen, week, exceptions } = draft.value;
  const wanted = hoursOf(draft.value);
  const save = async () => {
    const { openingHours } = await saveStoreSettings(sid, { openingHours: wanted });
    saved.value = JSON.stringify(openingHours);
    draft.value = draftOf(openingHours);
  };
  const imported = (openingHours: OpeningHours | null) => {
    saved.value = JSON.stringify(openingHours);
    const now = draftOf(openingHours);
    draft.value = isAlwaysOpen ? now : { ...draft.value, exceptions: now.exceptions };
  };
  return (
    <SaveForm
      title={text.settings.hours}
      explain={text.settings.hoursExplain}
      isChanged={JSON.stringify(wanted) !== saved.value}
      problem={isAlwaysOpen ? undefined : problemIn(draft.value)}
      onSave={save}
    >
      <Segmented
        label={text.settings.hours}
        segments={[
          { value: true, label: text.settings.always },
          { value: false, label: text.settings.byWeekday },
        ]}
        value={isAlwaysOpen}
        onChoose={(isAlwaysOpen) => set({ isAlwaysOpen })}
      />
      {!isAlwaysOpen && (
        <>
          <Weekdays week={week} onChange={(changed) => set({ week: changed })} />
          <ExceptionList
            today={today}
            exceptions={exceptions}
            onChange={(exceptions) => set({ exceptions })}
          />
        </>
      )}
      <CalendarImport sid={sid} onImported={imported} />
    </SaveForm>
  );
}

interface WeekdaysProps {
  readonly week: Draft['week'];
  readonly onChange: (week: Draft['week']) => void;
}

function Weekdays({ week, onChange }: WeekdaysProps) {
  const days = weekInOrder();
  return (
    <ul class="days">
      {days.map(({ name, n }, index) => {
        const spans = week[name] ?? [];
        return (
          <li key={name}>
            <strong>{weekday(n, 'long')}</strong>
            <SpansField
              label={weekday(n, 'long')}
              spans={spans}
              onChange={(changed) => onChange({ ...week, [name]: changed })}
            />
            {index === 0 && spans.length > 0 && (
              <button
                type="button"
                class="quiet"
                onClick={() => onChange(Object.fromEntries(days.map((day) => [day.name, spans])))}
              >
                {text.settings.allDays}
              </button>
            )}
          </li>
        );
      })}
    </ul>
  );
}

function draftOf(hours: OpeningHours | null): Draft {
  const week = Object.entries(hours?.week ?? {}).map(([name, spans]) => [name, spans.map(toSpan)]);
  const exceptions = (hours?.exceptions ?? []).map(({ date, open, note = '' }) => {
    return { date, open: open.map(toSpan), note };
  });
  return { isAlwaysOpen: hours === null, week: Object.fromEntries(week), exceptions };
}

function hoursOf({ isAlwaysOpen, week, exceptions }: Draft): OpeningHours | null {
  if (isAlwaysOpen) return null;
  const days = weekInOrder().toSorted((a, b) => a.n - b.n);
  const given = days.filter(({ name }) => week[name] !== undefined);
  return {
    week: Object.fromEntries(given.map(({ name }) => [name, sorted(week[name] ?? [])])),
    exceptions: exceptions
      .toSorted((a, b) => (a.date < b.date ? -1 : 1))
      .map(({ date, open, note }): Exception => {
        return { date, open: sorted(open), ...(note.trim() !== '' && { note: note.trim() }) };
      }),
  };
}

function sorted(spans: readonly Span[]): string[] {
  return spans.map(fromSpan).toSorted();
}

/** Why the draft cannot be saved. */
function problemIn({ week, exceptions }: Draft): string | undefined {
  const dates = exceptions.map(({ date }) => date);
  if (dates.includes('')) return text.settings.noDate;
  const twice = dates.find((date, index) => dates.indexOf(date) !== index);
  if (twice !== undefined) return text.settings.twice(shortDate(twice));
  const days = [
    ...weekInOrder().map(({ name, n }) => ({ label: weekday(n, 'long'), spans: week[name] ?? [] })),
    ...exceptions.map(({ date, open }) => ({ label: shortDate(date), spans: open })),
  ];
  for (const { label, spans } of days) {
    const problem = problemOf(spans);
    if (problem !== undefined) return `${label}: ${text.settings.wrongHours[problem]}`;
  }
  return undefined;
}
