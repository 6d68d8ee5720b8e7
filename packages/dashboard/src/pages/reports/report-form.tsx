import * as v from 'valibot';
import { isRefused } from '../../data/calls.ts';
import { type Report, ReportToSave, removeReport, saveReport } from '../../data/report-calls.ts';
import type { Store } from '../../data/shapes.ts';
import { ConfirmedButton } from '../../parts/dialog.tsx';
import { Checkbox, Choice, Field, LanguageChoice } from '../../parts/fields.tsx';
import { Form } from '../../parts/form.tsx';
import { timeOfHour } from '../../text/dates.ts';
import { language, text } from '../../text/text.ts';
import { ScopeField, scopeOf } from './scope-field.tsx';

const periods = ['daily', 'weekly', 'monthly'] as const;
const hours = Array.from({ length: 24 }, (_, hour) => hour);

interface ReportFormProps {
  /** Undefined for a new one. */
  readonly report: Report | undefined;
  readonly stores: readonly Store[];
  readonly onDone: () => void;
  readonly onCancel: () => void;
}

/** The fields of a report. What was entered stays when it cannot be saved. */
export function ReportForm({ report, stores, onDone, onCancel }: ReportFormProps) {
  const before: ReportToSave = report ?? { ...added, language: language.value };
  const { group, stores: sids } = before;
  const save = async (given: FormData) => {
    await saveReport(report?.id, reportIn(given, before));
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
      <Field label={text.reports.name} name="name" defaultValue={before.name} required maxLength={200} />
      <div class="columns">
        <Choice
          label={text.reports.period}
          name="period"
          value={before.period}
          options={periods.map((one) => [one, text.reports.periods[one]])}
        />
        <LanguageChoice name="language" value={before.language} />
        <Choice
          label={text.reports.when}
          name="hour"
          value={String(before.hour ?? '')}
          options={[
            ['', text.reports.atClosing],
            ...hours.map((one) => [String(one), timeOfHour(one)] as const),
          ]}
        />
      </div>
      {sids !== null && sids.length > 1 ? (
        <p class="small">{text.reports.someStores(sids.length)}</p>
      ) : (
        <ScopeField name="scope" value={{ group, store: sids?.[0] ?? null }} stores={stores} />
      )}
      <label class="field">
        {text.reports.recipients}
        <textarea name="recipients" rows={3} required defaultValue={before.recipients.join('\n')} />
      </label>
      <Checkbox label={text.reports.enabled} name="enabled" isChecked={before.enabled} />
    </Form>
  );
}

/** What was entered; the stores of a report with several remain. */
function reportIn(given: FormData, { group, stores }: ReportToSave): ReportToSave {
  const hour = String(given.get('hour'));
  const key = given.get('scope');
  const scope = scopeOf(String(key));
  return v.parse(ReportToSave, {
    ...Object.fromEntries(given),
    recipients: String(given.get('recipients'))
      .split(/[\s,;]+/)
      .filter(Boolean),
    hour: hour === '' ? null : Number(hour),
    group: key === null ? group : scope.group,
    stores: key === null ? stores : scope.store === null ? null : [scope.store],
    enabled: given.has('enabled'),
  });
}

const added: ReportToSave = {
  ...{ name: '', period: 'daily', language: 'en', hour: null, enabled: true },
  ...{ group: null, stores: null, recipients: [] },
};
