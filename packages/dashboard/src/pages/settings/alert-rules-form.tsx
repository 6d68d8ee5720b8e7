import { useSignal } from '@preact/signals';
import { type AlertRule, alertRules, saveAlertRules } from '../../data/settings-calls.ts';
import { Checkbox } from '../../parts/fields.tsx';
import { useLoaded } from '../../parts/loaded.tsx';
import { alertText } from '../../status/condition.tsx';
import { text } from '../../text/text.ts';
import { SaveForm } from './save-form.tsx';

/** The alerts that managers choose, and whether they have a time; the others are set up by the operator. */
const chosen: readonly { readonly kind: string; readonly hasTime: boolean }[] = [
  { kind: 'visitors-while-closed', hasTime: true },
  { kind: 'silent-while-open', hasTime: true },
  { kind: 'direction-doubtful', hasTime: false },
  { kind: 'capacity-reached', hasTime: false },
  { kind: 'device-inactive', hasTime: true },
  { kind: 'beam-blocked', hasTime: true },
  { kind: 'beam-flickering', hasTime: true },
  { kind: 'data-overdue', hasTime: true },
  { kind: 'crossings-lost', hasTime: false },
  { kind: 'storage-failing', hasTime: false },
];

/** Which alerts the company gets, and after how long. */
export function AlertRulesForm() {
  const loaded = useLoaded(alertRules, []);
  const answer = useSignal<readonly AlertRule[] | undefined>(undefined);
  /** Only these are sent. */
  const changed = useSignal<readonly AlertRule[]>([]);
  const rules = [...changed.value, ...(answer.value ?? loaded.value?.items ?? [])];
  const change = (rule: AlertRule) => {
    changed.value = [rule, ...changed.value.filter(({ kind }) => kind !== rule.kind)];
  };
  const save = async () => {
    answer.value = (await saveAlertRules(changed.value)).items;
    changed.value = [];
  };
  const isWrong = changed.value.some(({ after }) => !(after >= 0 && after <= 30 * 86_400));
  return (
    <SaveForm
      title={text.settings.alerts}
      explain={text.settings.alertsExplain}
      loaded={loaded}
      problem={isWrong ? text.settings.wrongMinutes : undefined}
      onSave={save}
    >
      <ul class="rules">
        {chosen.map(({ kind, hasTime }) => {
          const rule = rules.find((one) => one.kind === kind);
          return (
            rule && (
              <RuleRow key={kind} {...{ rule, hasTime }} onChange={(part) => change({ ...rule, ...part })} />
            )
          );
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
