import { useSignal } from '@preact/signals';
import { type StaffPlan, saveStoreSettings } from '../../data/settings-calls.ts';
import { Field } from '../../parts/fields.tsx';
import { longDate, weekday } from '../../text/dates.ts';
import { text } from '../../text/text.ts';
import { DayEntries } from './entries.tsx';
import { SaveForm, useDraft } from './save-form.tsx';
import { weekInOrder } from './spans.ts';

type Week = StaffPlan['week'];
type Entry = Week[string][number];

interface StaffFormProps {
  readonly sid: string;
  readonly plan: StaffPlan | null;
  readonly today: string;
}

/** How many of the staff come in at which time: they are left out of visitors. */
export function StaffForm({ sid, plan, today }: StaffFormProps) {
  const saved = useSignal(plan);
  const { draft: week, isChanged, set, accept } = useDraft<Week>(plan?.week ?? {});
  /* Days that are over keep the plan that they had. */
  const since = useSignal(plan !== null && plan.since > today ? plan.since : today);
  const save = async () => {
    const given = Object.entries(week).filter(([, entries]) => entries.length > 0);
    const { staff } = await saveStoreSettings(sid, {
      staff: { since: since.value, week: Object.fromEntries(given) },
    });
    saved.value = staff;
    accept(staff?.week ?? {});
  };
  return (
    <SaveForm title={text.staff} explain={text.settings.staffExplain} isChanged={isChanged} onSave={save}>
      {saved.value && <p class="small">{text.settings.staffSince(longDate(saved.value.since))}</p>}
      <ul class="days">
        {weekInOrder().map(({ name, n }) => (
          <li key={name}>
            <strong>{weekday(n, 'long')}</strong>
            <Entries
              label={weekday(n, 'long')}
              entries={week[name] ?? []}
              onChange={(entries) => set({ ...week, [name]: entries })}
            />
          </li>
        ))}
      </ul>
      <Field
        label={text.settings.validFrom}
        hint={text.settings.validFromHint}
        type="date"
        required
        entered={since}
      />
    </SaveForm>
  );
}

interface EntriesProps {
  /** The day, for screen readers. */
  readonly label: string;
  readonly entries: Entry[];
  readonly onChange: (entries: Entry[]) => void;
}

function Entries({ label, entries, onChange }: EntriesProps) {
  return (
    <DayEntries
      {...{ label, entries, onChange }}
      words={{ none: text.settings.nobody, add: text.settings.addStaff }}
      next={() => ({ at: '08:45', people: 1 })}
      fields={({ at, people }, change) => (
        <>
          <input
            type="time"
            required
            aria-label={`${label}: ${text.chart.columns.time}`}
            value={at}
            onInput={({ currentTarget }) => change({ at: currentTarget.value, people })}
          />
          <small aria-hidden="true">{text.settings.people}</small>
          <input
            type="number"
            required
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
