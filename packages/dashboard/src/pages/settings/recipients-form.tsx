import { useSignal } from '@preact/signals';
import { alertRecipients, type Recipient, saveAlertRecipients } from '../../data/settings-calls.ts';
import { Checkbox, LanguageChoice } from '../../parts/fields.tsx';
import { useLoaded } from '../../parts/loaded.tsx';
import { language, text } from '../../text/text.ts';
import { EditableList } from './editable-list.tsx';
import { SaveForm } from './save-form.tsx';

/** Who receives the alerts by mail. */
export function RecipientsForm() {
  const loaded = useLoaded(alertRecipients, []);
  const entered = useSignal<readonly Recipient[] | undefined>(undefined);
  const list = entered.value ?? loaded.value?.items ?? [];
  const change = (items: readonly Recipient[]) => {
    entered.value = items;
  };
  const mails = list.map(({ mail }) => mail.trim().toLowerCase());
  const twice = mails.find((mail, index) => mail !== '' && mails.indexOf(mail) !== index);
  return (
    <SaveForm
      title={text.settings.recipients}
      explain={text.settings.recipientsExplain}
      loaded={loaded}
      problem={twice && text.settings.twice(twice)}
      onSave={async () => change((await saveAlertRecipients(list)).items)}
    >
      <EditableList
        class="recipients"
        entries={list}
        onChange={change}
        nameOf={({ mail }) => mail}
        add={text.settings.addMail}
        next={(): Recipient => ({ mail: '', language: language.value, enabled: true })}
        fields={(recipient, change) => (
          <>
            <input
              type="email"
              required
              maxLength={250}
              aria-label={text.settings.mail}
              placeholder={text.settings.mail}
              value={recipient.mail}
              onInput={({ currentTarget }) => change({ ...recipient, mail: currentTarget.value })}
            />
            <LanguageChoice
              value={recipient.language}
              isLabelHidden
              onChoose={(chosen) => change({ ...recipient, language: chosen })}
            />
            <Checkbox
              label={text.settings.sends}
              isChecked={recipient.enabled}
              onChange={(enabled) => change({ ...recipient, enabled })}
            />
          </>
        )}
      />
    </SaveForm>
  );
}
