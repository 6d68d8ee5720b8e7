import { useSignal } from '@preact/signals';
import { type OpeningHours, saveStoreSettings } from '../../data/settings-calls.ts';
import { Checkbox } from '../../parts/fields.tsx';
import { shortDate, weekday } from '../../text/dates.ts';
import { text } from '../../text/text.ts';
import { CalendarImport } from './calendar-import.tsx';
import { WeekField } from './editable-list.tsx';
import { ExceptionsField, SpansField } from './hours-fields.tsx';
import { SaveForm } from './save-form.tsx';
import { problemOf, weekInOrder } from './spans.ts';

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
      below={<CalendarImport sid={sid} onImported={imported} />}
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
          <WeekField
            week={week}
            onChange={(changed) => set({ week: changed })}
            field={(day) => <SpansField {...day} />}
            canCopy
          />
          <ExceptionsField
            today={today}
            exceptions={exceptions}
            onChange={(changed) => set({ exceptions: changed })}
          />
        </>
      )}
    </SaveForm>
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
