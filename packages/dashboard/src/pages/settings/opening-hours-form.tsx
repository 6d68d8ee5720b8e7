import { useRef } from 'preact/hooks';
import { type OpeningHours, saveStoreSettings } from '../../data/settings-calls.ts';
import { Checkbox } from '../../parts/fields.tsx';
import { shortDate, weekday } from '../../text/dates.ts';
import { text } from '../../text/text.ts';
import { CalendarImport } from './calendar-import.tsx';
import { ExceptionList } from './exception-list.tsx';
import { SaveForm, useDraft } from './save-form.tsx';
import { problemOf, weekInOrder } from './spans.ts';
import { SpansField } from './spans-field.tsx';

const empty: OpeningHours = { week: {}, exceptions: [] };

interface OpeningHoursFormProps {
  readonly sid: string;
  readonly hours: OpeningHours | null;
  readonly today: string;
}

/** When a store is open: by weekday, and on dates with other hours. */
export function OpeningHoursForm({ sid, hours, today }: OpeningHoursFormProps) {
  const { draft, isChanged, set, accept } = useDraft(hours);
  /* What was entered comes back if the store is not always open after all. */
  const entered = useRef(hours ?? empty);
  if (draft) entered.current = draft;
  const save = async () => accept((await saveStoreSettings(sid, { openingHours: draft })).openingHours);
  const imported = (stored: OpeningHours | null) =>
    accept(stored, stored && draft ? { ...draft, exceptions: stored.exceptions } : stored);
  return (
    <SaveForm
      title={text.settings.hours}
      explain={text.settings.hoursExplain}
      isChanged={isChanged}
      problem={draft ? problemIn(draft) : undefined}
      onSave={save}
    >
      <Checkbox
        label={text.settings.always}
        isChecked={draft === null}
        onChange={(isAlwaysOpen) => set(isAlwaysOpen ? null : entered.current)}
      />
      {draft && (
        <>
          <Weekdays week={draft.week} onChange={(week) => set({ ...draft, week })} />
          <ExceptionList
            today={today}
            exceptions={draft.exceptions}
            onChange={(exceptions) => set({ ...draft, exceptions })}
          />
        </>
      )}
      <CalendarImport sid={sid} onImported={imported} />
    </SaveForm>
  );
}

interface WeekdaysProps {
  readonly week: OpeningHours['week'];
  readonly onChange: (week: OpeningHours['week']) => void;
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

/** Why the draft cannot be saved. */
function problemIn({ week, exceptions }: OpeningHours): string | undefined {
  const dates = exceptions.map(({ date }) => date);
  const twice = dates.find((date, index) => date !== '' && dates.indexOf(date) !== index);
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
