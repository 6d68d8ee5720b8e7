import { type AlertRule, saveAlertRules } from '../../data/settings-calls.ts';
import { Checkbox } from '../../parts/fields.tsx';
import { alertText } from '../../status/condition.tsx';
import { text } from '../../text/text.ts';
import { SaveForm, useDraft } from './save-form.tsx';

/** The alerts that managers choose, and whether they have a time; the others are set up by the operator. */
const chosen: Readonly<Record<string, boolean>> = {
  'visitors-while-closed': true,
  'silent-while-open': true,
  'direction-doubtful': false,
  'capacity-reached': false,
  'device-inactive': true,
  'beam-blocked': true,
  'beam-flickering': true,
  'data-overdue': true,
  'crossings-lost': false,
  'storage-failing': false,
};

/** Which alerts the company gets, and after how long. */
export function AlertRulesForm({ rules }: { readonly rules: readonly AlertRule[] }) {
  const { saved, draft, isChanged, set, accept } = useDraft(rules);
  const save = async () => {
    const changed = draft.filter((rule, index) => JSON.stringify(rule) !== JSON.stringify(saved[index]));
    const items = changed.map(({ kind, enabled, after }) => ({
      ...{ kind, enabled },
      ...(chosen[kind] && { after }),
    }));
    accept((await saveAlertRules(items)).items);
  };
  return (
    <SaveForm
      title={text.settings.alerts}
      explain={text.settings.alertsExplain}
      isChanged={isChanged}
      onSave={save}
    >
      <ul class="rules">
        {Object.entries(chosen).map(([kind, hasTime]) => {
          const index = draft.findIndex((one) => one.kind === kind);
          const rule = draft[index];
          const change = (part: Partial<AlertRule>) => rule && set(draft.with(index, { ...rule, ...part }));
          return rule && <RuleRow key={kind} {...{ rule, hasTime }} onChange={change} />;
        })}
      </ul>
    </SaveForm>
  );
}

interface RuleRowProps {
  readonly rule: AlertRule;
  readonly hasTime: boolean;
  readonly onChange: (part: Partial<AlertRule>) => void;
}

function RuleRow({ rule: { kind, enabled, after }, hasTime, onChange }: RuleRowProps) {
  return (
    <li>
      <Checkbox label={nameOf(kind)} isChecked={enabled} onChange={(enabled) => onChange({ enabled })} />
      {hasTime && (
        <label class="minutes">
          <span class="hidden">{nameOf(kind)}: </span>
          {text.settings.after}
          <input
            type="number"
            min={0}
            max={43_200}
            step="any"
            required
            disabled={!enabled}
            /* Not `value`: a browser has no number for "1." while "1.5" is typed. */
            defaultValue={Number((after / 60).toFixed(2))}
            onInput={({ currentTarget }) => onChange({ after: Math.round(currentTarget.valueAsNumber * 60) })}
          />
          {text.settings.minutes}
        </label>
      )}
    </li>
  );
}

const nameOf = (kind: string) => alertText({ kind, device: null });
