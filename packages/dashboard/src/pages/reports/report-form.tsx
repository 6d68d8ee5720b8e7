import { useSignal } from '@preact/signals';
import { isRefused } from '../../data/calls.ts';
import { type Report, type ReportToSave, removeReport, saveReport } from '../../data/report-calls.ts';
import { languageCodes, type Store } from '../../data/shapes.ts';
import { Notice } from '../../parts/card.tsx';
import { Choice } from '../../parts/choice.tsx';
import { Field } from '../../parts/field.tsx';
import { languages } from '../../text/locale.ts';
import { language, text } from '../../text/text.ts';
import { groupsOf, ScopeField } from './scope-field.tsx';

const periods = ['daily', 'weekly', 'monthly'] as const;

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
  const problem = useSignal<string | undefined>(undefined);
  const isBusy = useSignal(false);
  const change = (part: Partial<ReportToSave>) => {
    entered.value = { ...entered.value, ...part };
  };
  const run = async (act: () => Promise<unknown>) => {
    if (isBusy.value) return;
    isBusy.value = true;
    problem.value = undefined;
    try {
      await act();
      onDone();
    } catch (error) {
      problem.value = isRefused(error) ? text.reports.refused : text.unreachable;
    }
    isBusy.value = false;
  };
  const save = (event: SubmitEvent) => {
    event.preventDefault();
    const mails = recipients.value.split(/[\s,;]+/).filter((mail) => mail !== '');
    void run(() => saveReport(report?.id, { ...entered.value, recipients: mails }));
  };
  return (
    <form class="stack" onSubmit={save}>
      <ReportFields entered={entered.value} stores={stores} onChange={change} />
      <label class="field">
        {text.reports.recipients}
        <textarea
          rows={3}
          required
          value={recipients.value}
          onInput={({ currentTarget }) => {
            recipients.value = currentTarget.value;
          }}
        />
      </label>
      <label class="report-check">
        <input
          type="checkbox"
          checked={entered.value.enabled}
          onChange={({ currentTarget }) => change({ enabled: currentTarget.checked })}
        />
        {text.reports.enabled}
      </label>
      {problem.value !== undefined && (
        <Notice tone="bad" role="alert">
          {problem.value}
        </Notice>
      )}
      <div class="actions">
        {report && (
          <button type="button" class="danger" onClick={() => void run(() => removeReport(report.id))}>
            {text.remove}
          </button>
        )}
        <button type="button" onClick={onCancel}>
          {text.cancel}
        </button>
        <button type="submit" class="primary" disabled={isBusy.value}>
          {text.save}
        </button>
      </div>
    </form>
  );
}

interface ReportFieldsProps {
  readonly entered: ReportToSave;
  readonly stores: readonly Store[];
  readonly onChange: (part: Partial<ReportToSave>) => void;
}

/** What the report is called, how often it comes, in which language, and of which stores. */
function ReportFields({ entered, stores, onChange }: ReportFieldsProps) {
  const { name, period, language: code, group, stores: sids } = entered;
  return (
    <>
      <Field
        label={text.reports.name}
        value={name}
        required
        maxLength={200}
        onInput={({ currentTarget }) => onChange({ name: currentTarget.value })}
      />
      <div class="report-fields">
        <Choice
          label={text.reports.period}
          value={period}
          options={periods.map((one) => [one, text.reports.periods[one]])}
          onChoose={(chosen) => onChange({ period: chosen })}
        />
        <Choice
          label={text.language}
          value={code}
          options={languageCodes.map((one) => [one, languages[one]])}
          onChoose={(chosen) => onChange({ language: chosen })}
        />
      </div>
      {sids !== null && sids.length > 1 ? (
        <p class="small">{text.reports.someStores(sids.length)}</p>
      ) : (
        <ScopeField
          value={group !== null ? `g:${group}` : sids?.[0] !== undefined ? `s:${sids[0]}` : ''}
          groups={groupsOf(stores)}
          stores={stores}
          onChange={(chosen) => onChange(scopeOf(chosen))}
        />
      )}
    </>
  );
}

function toSave(report: Report | undefined): ReportToSave {
  if (report === undefined) {
    const empty = {
      name: '',
      period: 'daily',
      recipients: [],
      group: null,
      stores: null,
      enabled: true,
    } as const;
    return { ...empty, recipients: [], language: language.value };
  }
  const { id: _, lastSentAt: _at, problem: _problem, ...fields } = report;
  return fields;
}

function scopeOf(chosen: string): Pick<ReportToSave, 'group' | 'stores'> {
  const name = chosen.slice(2);
  return {
    group: chosen.startsWith('g:') ? name : null,
    stores: chosen.startsWith('s:') ? [name] : null,
  };
}
