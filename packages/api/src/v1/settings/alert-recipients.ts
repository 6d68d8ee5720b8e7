import {
  changeMailRecipients,
  LabelTaken,
  type MailRecipient,
  mailRecipientsOf,
} from '@visitor-counter/database/settings/alert-settings';
import { isMailAddress, mailLanguages } from '@visitor-counter/domain/mail';
import { cleanName, isPrintable, nameKey } from '@visitor-counter/domain/name-key';
import Type, { type Static } from 'typebox';
import { invalidParameter } from '../../problems/problems.ts';
import { companySettings, route } from '../routing/route.ts';
import { noOtherFields, text } from '../routing/shapes.ts';
import { requireDistinct } from '../routing/values.ts';

const mostRecipients = 100;

const enabled = Type.Boolean({ description: 'Whether it is reported.' });
const language = Type.Enum([...mailLanguages], { description: 'en, de, es or sl' });
const recipientShape = Type.Object(
  { label: text('Unique name.'), mail: text('E-mail address.'), language, enabled },
  { $id: 'AlertRecipient' },
);
/** `language` is by default English. */
const recipientToSet = Type.Object(
  {
    mail: text('an e-mail address'),
    label: Type.Optional(text('a unique name as text, by default the address')),
    language: Type.Optional(language),
    enabled: Type.Optional({ ...enabled, description: 'true or false' }),
  },
  noOtherFields,
);
type RecipientToSet = Static<typeof recipientToSet>;
const recipients = Type.Object({ items: Type.Array(recipientShape) });

export const getAlertRecipients = route(
  {
    method: 'GET',
    path: '/v1/alert-recipients',
    summary: 'Who receives the alerts by mail',
    ...companySettings,
    answer: recipients,
  },
  async ({ caller }, { database }) => ({ items: await mailRecipientsOf(database.kysely, caller.companyId) }),
);

/** Replaces all mail recipients; webhooks, which operators set up, stay. */
export const putAlertRecipients = route(
  {
    method: 'PUT',
    path: '/v1/alert-recipients',
    summary: 'Choose who receives the alerts by mail',
    ...companySettings,
    answer: recipients,
    body: Type.Object(
      {
        items: Type.Array(recipientToSet, {
          description: `a list of at most ${mostRecipients} recipients: mail, and label, language or enabled`,
          maxItems: mostRecipients,
        }),
      },
      noOtherFields,
    ),
  },
  async ({ caller, author, body }, { database }) => {
    const { companyId, company } = caller;
    const wanted = body.items.map((item, index) => recipientOf(item, index));
    requireDistinct(wanted, 'label', ({ label }) => label);
    requireDistinct(wanted, 'mail', ({ mail }) => nameKey(mail));
    await changeMailRecipients(database.kysely, author, { companyId, company }, wanted).catch((error) => {
      if (!(error instanceof LabelTaken)) throw error;
      const index = wanted.findIndex(({ label }) => label === error.message);
      throw invalidParameter(`items[${index}].label`, error.message, 'another one than a webhook has');
    });
    return { items: await mailRecipientsOf(database.kysely, companyId) };
  },
);

/** Throws `invalid_parameter`. */
function recipientOf(
  { mail: given, label, language = 'en', enabled = true }: RecipientToSet,
  index: number,
): MailRecipient {
  const mail = given.trim();
  if (!isMailAddress(mail)) throw invalidParameter(`items[${index}].mail`, given, 'an e-mail address');
  const name = cleanName(label ?? mail);
  if (name === '' || name.length > 255 || !isPrintable(name))
    throw invalidParameter(`items[${index}].label`, name, 'text of 1 to 255 printable characters');
  return { label: name, mail, language, enabled };
}
