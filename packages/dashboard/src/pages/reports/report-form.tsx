import { useSignal } from '@preact/signals';
import * as v from 'valibot';
import { isRefused } from '../../data/calls.ts';
import { type Report, ReportToSave, removeReport, saveReport } from '../../data/report-calls.ts';
import type { Store } from '../../data/shapes.ts';
import { ConfirmedButton } from '../../parts/dialog.tsx';
import { bound, Checkbox, Choice, Field, LanguageChoice } from '../../parts/fields.tsx';
import { Form } from '../../parts/form.tsx';
import { timeOfHour } from '../../text/dates.ts';
import { language, text } from '../../text/text.ts';
import { ScopeField } from './scope-field.tsx';

const periods = ['daily', 'weekly', 'monthly'] as const;
const hours = Array.from({ length: 24 }, (_, hour) => hour);

interface FormProps {
  /** Undefined for a new one. */
  readonly report: Report | undefined;
  readonly stores: readonly Store[];
  readonly onDone: () => void;
  readonly onCancel: () => void;
}

/** The fields of a report. What was entered stays when it cannot be saved. */
export function ReportForm({ report, stores, onDone, onCancel }: FormProps) {
  const entered = useSignal<ReportToSave>(toSave(report));
  const recipients = useSignal(entered.value.recipients.join('\n'));
  const change = (part: Partial<ReportToSave>) => {
    entered.value = { ...entered.value, ...part };
  };
  const save = async () => {
    const mails = recipients.value.split(/[\s,;]+/).filter((mail) => mail !== '');
    await saveReport(report?.id, { ...entered.value, recipients: mails });
    onDone();
  };
  return (
    <Form
      onSubmit={save}
      onCancel={onCancel}
      submit={text.save}
      whyNot={(error) => (isRefused(error) ? text.reports.refused : text.unreachable)}
      actions={(send) =>
        report && (
          <ConfirmedButton
            label={text.remove}
            class="danger"
            question={text.reports.removeSure}
            onConfirm={() => void send(() => removeReport(report.id).then(onDone))}
          />
        )
      }
    >
      <ReportFields entered={entered.value} stores={stores} onChange={change} />
      <label class="field">
        {text.reports.recipients}
        <textarea rows={3} required {...bound(recipients)} />
      </label>
      <Checkbox
        label={text.reports.enabled}
        isChecked={entered.value.enabled}
        onChange={(enabled) => change({ enabled })}
      />
    </Form>
  );
}

interface ReportFieldsProps {
  readonly entered: ReportToSave;
  readonly stores: readonly Store[];
  readonly onChange: (part: Partial<ReportToSave>) => void;
}

/** What the report is called, how often it comes, in which language, and of which stores. */
function ReportFields({ entered, stores, onChange }: ReportFieldsProps) {
  const { name, period, language: code, hour, group, stores: sids } = entered;
  return (
    <>
      <Field
        label={text.reports.name}
        value={name}
        required
        maxLength={200}
        onInput={({ currentTarget }) => onChange({ name: currentTarget.value })}
      />
      <div class="columns">
        <Choice
          label={text.reports.period}
          value={period}
          options={periods.map((one) => [one, text.reports.periods[one]])}
          onChoose={(chosen) => onChange({ period: chosen })}
        />
        <LanguageChoice value={code} onChoose={(chosen) => onChange({ language: chosen })} />
        <Choice
          label={text.reports.when}
          value={hour === null ? '' : String(hour)}
          options={[
            ['', text.reports.atClosing],
            ...hours.map((one) => [String(one), timeOfHour(one)] as const),
          ]}
          onChoose={(chosen) => onChange({ hour: chosen === '' ? null : Number(chosen) })}
        />
      </div>
      {sids !== null && sids.length > 1 ? (
        <p class="small">{text.reports.someStores(sids.length)}</p>
      ) : (
        <ScopeField
          value={{ group, store: sids?.[0] ?? null }}
          stores={stores}
          onChoose={(chosen) =>
            onChange({ group: chosen.group, stores: chosen.store === null ? null : [chosen.store] })
          }
        />
      )}
    </>
  );
}

function toSave(report: Report | undefined): ReportToSave {
  if (report) return v.parse(ReportToSave, report);
  const scope = { group: null, stores: null, recipients: [] };
  return { ...scope, name: '', period: 'daily', language: language.value, hour: null, enabled: true };
}
