import * as v from 'valibot';
import { isRefused } from '../../data/calls.ts';
import { type Report, ReportToSave, removeReport, saveReport } from '../../data/report-calls.ts';
import type { Store } from '../../data/shapes.ts';
import { ConfirmedButton, DialogForm } from '../../parts/dialog.tsx';
import { Choice, Field, LanguageChoice } from '../../parts/fields.tsx';
import { useSending } from '../../parts/form.tsx';
import { timeOfHour } from '../../text/dates.ts';
import { language, text } from '../../text/text.ts';
import { ScopeField, scopeOf } from './scope-field.tsx';

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
  const { isSending, problem, send } = useSending((error) =>
    isRefused(error) ? text.reports.refused : text.unreachable,
  );
  const run = (act: () => Promise<unknown>) =>
    void send(async () => {
      await act();
      onDone();
    });
  const several = storesOf(report);
  return (
    <DialogForm
      onSubmit={(given) => run(() => saveReport(report?.id, reportIn(given, several)))}
      onCancel={onCancel}
      submit={text.save}
      isBusy={isSending}
      problem={problem}
      actions={
        report && (
          <ConfirmedButton
            label={text.remove}
            class="danger"
            question={text.reports.removeSure}
            onConfirm={() => run(() => removeReport(report.id))}
          />
        )
      }
    >
      <Field label={text.reports.name} name="name" defaultValue={report?.name} required maxLength={200} />
      <div class="columns">
        <Choice
          label={text.reports.period}
          name="period"
          value={report?.period ?? 'daily'}
          options={periods.map((one) => [one, text.reports.periods[one]])}
        />
        <LanguageChoice name="language" value={report?.language ?? language.value} />
        <Choice
          label={text.reports.when}
          name="hour"
          value={String(report?.hour ?? '')}
          options={[
            ['', text.reports.atClosing],
            ...hours.map((one) => [String(one), timeOfHour(one)] as const),
          ]}
        />
      </div>
      {several ? (
        <p class="small">{text.reports.someStores(several.length)}</p>
      ) : (
        <ScopeField
          name="scope"
          value={{ group: report?.group ?? null, store: report?.stores?.[0] ?? null }}
          stores={stores}
        />
      )}
      <label class="field">
        {text.reports.recipients}
        <textarea name="recipients" rows={3} required defaultValue={report?.recipients.join('\n')} />
      </label>
      <label class="check">
        <input type="checkbox" name="enabled" defaultChecked={report?.enabled ?? true} />
        {text.reports.enabled}
      </label>
    </DialogForm>
  );
}

/** The stores of a report of more than one, which the page does not change. */
function storesOf(report: Report | undefined): string[] | undefined {
  return report?.stores && report.stores.length > 1 ? report.stores : undefined;
}

/** What was entered. */
function reportIn(given: FormData, several: string[] | undefined): ReportToSave {
  const { recipients, hour, scope, ...fields } = Object.fromEntries(given);
  const { group, store } = scopeOf(String(scope));
  return v.parse(ReportToSave, {
    ...fields,
    recipients: String(recipients)
      .split(/[\s,;]+/)
      .filter((mail) => mail !== ''),
    hour: hour === '' ? null : Number(hour),
    group,
    stores: several ?? (store === null ? null : [store]),
    enabled: 'enabled' in fields,
  });
}
