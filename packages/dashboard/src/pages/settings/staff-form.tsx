import { useSignal } from '@preact/signals';
import { type StaffPlan, saveStoreSettings } from '../../data/settings-calls.ts';
import { Field } from '../../parts/fields.tsx';
import { longDate } from '../../text/dates.ts';
import { text } from '../../text/text.ts';
import { type DayField, EditableList, WeekField } from './editable-list.tsx';
import { SaveForm } from './save-form.tsx';

type Week = StaffPlan['week'];
type Entry = Week[string][number];

interface StaffFormProps {
  readonly sid: string;
  readonly plan: StaffPlan | null;
  readonly today: string;
}

/** How many of the staff come in at which time: they are left out of visitors. */
export function StaffForm({ sid, plan, today }: StaffFormProps) {
  const saved = useSignal<StaffPlan | null>(plan);
  const week = useSignal<Week>(plan?.week ?? {});
  /* Days that are over keep the plan that they had. */
  const since = useSignal(plan !== null && plan.since > today ? plan.since : today);
  const save = async () => {
    const { staff } = await saveStoreSettings(sid, { staff: { since: since.value, week: week.value } });
    saved.value = staff;
    week.value = staff?.week ?? {};
  };
  const isUnfinished = Object.values(week.value).some((entries) =>
    entries.some(({ at, people }) => at === '' || !(people >= 1 && people <= 1_000)),
  );
  return (
    <SaveForm
      title={text.staff}
      explain={text.settings.staffExplain}
      problem={
        isUnfinished ? text.settings.wrongStaff : since.value === '' ? text.settings.noDate : undefined
      }
      onSave={save}
    >
      {saved.value && <p class="small">{text.settings.staffSince(longDate(saved.value.since))}</p>}
      <WeekField
        week={week.value}
        onChange={(changed) => {
          week.value = changed;
        }}
        field={(day) => <Arrivals {...day} />}
      />
      <Field label={text.settings.validFrom} hint={text.settings.validFromHint} type="date" entered={since} />
    </SaveForm>
  );
}

/** How many come in at which time of a day. */
function Arrivals(day: DayField<Entry>) {
  const { label } = day;
  return (
    <EditableList
      {...day}
      class="spans"
      none={text.settings.nobody}
      add={text.settings.addStaff}
      next={() => ({ at: '08:45', people: 1 })}
      fields={({ at, people }, change) => (
        <>
          <input
            type="time"
            aria-label={`${label}: ${text.words.time}`}
            value={at}
            onInput={({ currentTarget }) => change({ at: currentTarget.value, people })}
          />
          <small aria-hidden="true">{text.settings.people}</small>
          <input
            type="number"
            inputMode="numeric"
            aria-label={`${label}: ${text.settings.people}`}
            min={1}
            max={1_000}
            step={1}
            value={people || ''}
            onInput={({ currentTarget }) => change({ at, people: Math.floor(Number(currentTarget.value)) })}
          />
        </>
      )}
    />
  );
}
