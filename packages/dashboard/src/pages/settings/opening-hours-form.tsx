import { useSignal } from '@preact/signals';
import { type OpeningHours, saveStoreSettings } from '../../data/settings-calls.ts';
import { Checkbox } from '../../parts/fields.tsx';
import { shortDate, weekday } from '../../text/dates.ts';
import { text } from '../../text/text.ts';
import { CalendarImport } from './calendar-import.tsx';
import { ExceptionList } from './exception-list.tsx';
import { SaveForm } from './save-form.tsx';
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
  const isAlwaysOpen = useSignal(hours === null);
  const draft = useSignal(hours ?? empty);
  const set = (change: Partial<OpeningHours>) => {
    draft.value = { ...draft.value, ...change };
  };
  const { week, exceptions } = draft.value;
  const wanted = isAlwaysOpen.value ? null : draft.value;
  const show = (stored: OpeningHours | null) => {
    isAlwaysOpen.value = stored === null;
    draft.value = stored ?? empty;
  };
  const imported = (stored: OpeningHours | null) => {
    if (isAlwaysOpen.value) show(stored);
    else set({ exceptions: stored?.exceptions ?? [] });
  };
  return (
    <SaveForm
      title={text.settings.hours}
      explain={text.settings.hoursExplain}
      problem={wanted ? problemIn(wanted) : undefined}
      onSave={async () => show((await saveStoreSettings(sid, { openingHours: wanted })).openingHours)}
    >
      <Checkbox
        label={text.settings.always}
        isChecked={isAlwaysOpen.value}
        onChange={(isChecked) => {
          isAlwaysOpen.value = isChecked;
        }}
      />
      {!isAlwaysOpen.value && (
        <>
          <Weekdays week={week} onChange={(changed) => set({ week: changed })} />
          <ExceptionList
            today={today}
            exceptions={exceptions}
            onChange={(changed) => set({ exceptions: changed })}
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
