import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { alertRecipients, type Recipient, saveAlertRecipients } from '../../data/settings-calls.ts';
import { languageCodes } from '../../data/shapes.ts';
import { Glyph } from '../../parts/glyph.tsx';
import { Failed, useLoaded } from '../../parts/loaded.tsx';
import { languages } from '../../text/locale.ts';
import { language, text } from '../../text/text.ts';
import { RemoveButton } from './remove-button.tsx';
import { SaveForm } from './save-form.tsx';

/** Who receives the alerts by mail. */
export function RecipientsForm() {
  const { value, failed, reload } = useLoaded(alertRecipients, []);
  const saved = useSignal<readonly Recipient[]>([]);
  const list = useSignal<readonly Recipient[]>([]);
  useEffect(() => {
    if (value === undefined) return;
    saved.value = value.items;
    list.value = value.items;
  }, [value]);
  const change = (index: number, part: Partial<Recipient>) => {
    list.value = list.value.map((one, at) => (at === index ? { ...one, ...part } : one));
  };
  const save = async () => {
    const { items } = await saveAlertRecipients(list.value);
    saved.value = items;
    list.value = items;
  };
  const mails = list.value.map(({ mail }) => mail.trim().toLowerCase());
  const isTwice = mails.some((mail, index) => mail !== '' && mails.indexOf(mail) !== index);
  return (
    <SaveForm
      title={text.settings.recipients}
      explain={text.settings.recipientsExplain}
      isChanged={value !== undefined && JSON.stringify(list.value) !== JSON.stringify(saved.value)}
      problem={isTwice ? text.settings.mailTwice : undefined}
      onSave={save}
    >
      {value === undefined && (failed ? <Failed again={reload} /> : <p>{text.loading}</p>)}
      <ul class="recipients">
        {list.value.map((recipient, index) => (
          <RecipientRow
            key={index}
            recipient={recipient}
            onChange={(part) => change(index, part)}
            onRemove={() => {
              list.value = list.value.filter((_, at) => at !== index);
            }}
          />
        ))}
      </ul>
      <div class="row">
        <button
          type="button"
          onClick={() => {
            list.value = [...list.value, { mail: '', language: language.value, enabled: true }];
          }}
        >
          <Glyph name="plus" />
          {text.settings.addMail}
        </button>
      </div>
    </SaveForm>
  );
}

interface RecipientRowProps {
  readonly recipient: Recipient;
  readonly onChange: (part: Partial<Recipient>) => void;
  readonly onRemove: () => void;
}

function RecipientRow({ recipient, onChange, onRemove }: RecipientRowProps) {
  const { mail, enabled } = recipient;
  return (
    <li>
      <input
        type="email"
        required
        maxLength={250}
        aria-label={text.settings.mail}
        placeholder={text.settings.mail}
        value={mail}
        onInput={({ currentTarget }) => onChange({ mail: currentTarget.value })}
      />
      <select
        aria-label={text.language}
        value={recipient.language}
        onChange={({ currentTarget: { value } }) =>
          onChange({ language: languageCodes.find((code) => code === value) ?? 'en' })
        }
      >
        {languageCodes.map((code) => (
          <option key={code} value={code}>
            {languages[code]}
          </option>
        ))}
      </select>
      <label class="check">
        <input
          type="checkbox"
          checked={enabled}
          onChange={({ currentTarget }) => onChange({ enabled: currentTarget.checked })}
        />
        {text.settings.sends}
      </label>
      <RemoveButton label={`${mail} ${text.remove}`.trim()} onRemove={onRemove} />
    </li>
  );
}
