import {
  alertKinds,
  kindFacts,
  type RuleKind,
  ruleProblem,
} from '@visitor-counter/database/alerts/alert-kinds';
import {
  type AlertRuleSettings,
  alertRulesOf,
  changeAlertRules,
  changeMailRecipients,
  LabelTaken,
  type MailRecipient,
  mailRecipientsOf,
} from '@visitor-counter/database/settings/alert-settings';
import { isMailAddress, mailLanguages } from '@visitor-counter/domain/mail';
import { cleanName, nameKey } from '@visitor-counter/domain/name-key';
import type { Kysely } from 'kysely';
import Type, { type Static } from 'typebox';
import { authorOf } from '../../access/callers.ts';
import { invalidParameter } from '../../problems/problems.ts';
import { route } from '../routing/route.ts';
import { noOtherFields, orNull, text } from '../routing/shapes.ts';

/** The longest time of a rule: 30 days. */
const mostSeconds = 30 * 86_400;
const mostRecipients = 100;
const kinds = ['staff'] as const;

const after = Type.Integer({
  description: 'How long the condition must last (s).',
  minimum: 0,
  maximum: mostSeconds,
});
const threshold = orNull(text('Limit of `disk-low` and `version-old`; null: the usual one.'));
const enabled = Type.Boolean({ description: 'Whether it is reported.' });
const ruleShape = Type.Object(
  { kind: Type.Enum([...alertKinds]), after, threshold, enabled },
  { $id: 'AlertRule' },
);
/* Descriptions end the sentence "<field> is …, and must be …". */
const ruleToSet = Type.Object(
  {
    kind: Type.Enum([...alertKinds], { description: `one of ${alertKinds.join(', ')}` }),
    after: Type.Optional({ ...after, description: `a whole number of seconds from 0 to ${mostSeconds}` }),
    threshold: Type.Optional({
      ...threshold,
      description: 'a limit of `disk-low` or `version-old` as text, `default`, or null',
    }),
    enabled: Type.Optional({ ...enabled, description: 'true or false' }),
  },
  noOtherFields,
);
const rules = Type.Object({ items: Type.Array(ruleShape) });

export const getAlertRules = route(
  {
    method: 'GET',
    path: '/v1/alert-rules',
    summary: 'Which alerts the company gets',
    kinds,
    settings: 'company' as const,
    answer: rules,
  },
  async ({ caller }, { database }) => ({ items: await ruleItems(database.kysely, caller.companyId) }),
);

/** Every kind; a kind without a rule raises no alerts. */
async function ruleItems(db: Kysely<unknown>, companyId: number) {
  const known = new Map((await alertRulesOf(db, companyId)).map((rule) => [rule.kind, rule]));
  return alertKinds.map((kind) => {
    const { afterSeconds: after, threshold, enabled } = known.get(kind) ?? withoutRule(kind);
    return { kind, after, threshold, enabled };
  });
}

function withoutRule(kind: RuleKind): AlertRuleSettings {
  return { kind, afterSeconds: kindFacts[kind].after, threshold: null, enabled: false };
}

/** Sets the rules of the kinds that are given, and leaves the rest as it is. */
export const putAlertRules = route(
  {
    method: 'PUT',
    path: '/v1/alert-rules',
    summary: 'Choose which alerts the company gets',
    kinds,
    settings: 'company' as const,
    answer: rules,
    body: Type.Object(
      {
        items: Type.Array(ruleToSet, {
          description: 'a list of rules: kind, and after, threshold or enabled',
          maxItems: alertKinds.length,
        }),
      },
      noOtherFields,
    ),
  },
  async ({ caller, origin, body }, { database }) => {
    const { companyId, company, label } = caller;
    const known = new Map((await alertRulesOf(database.kysely, companyId)).map((rule) => [rule.kind, rule]));
    requireDistinct(body.items, 'kind', ({ kind }) => kind);
    const wanted = body.items.map((item, index) => ruleOf(item, index, known.get(item.kind)));
    const author = authorOf(caller, label, origin);
    await changeAlertRules(database.kysely, author, { companyId, company }, wanted);
    return { items: await ruleItems(database.kysely, companyId) };
  },
);

/** Throws `invalid_parameter`. */
function ruleOf(
  given: Static<typeof ruleToSet>,
  index: number,
  { afterSeconds, threshold, enabled }: AlertRuleSettings = { ...withoutRule(given.kind), enabled: true },
): AlertRuleSettings {
  const { kind } = given;
  const isSameAfter = given.after === afterSeconds;
  const problem = ruleProblem(kind, { ...given, after: isSameAfter ? undefined : given.after });
  if (problem)
    throw invalidParameter(`items[${index}].${problem.field}`, given[problem.field], problem.expected);
  return {
    kind,
    afterSeconds: given.after ?? afterSeconds,
    threshold:
      given.threshold === undefined ? threshold : given.threshold === 'default' ? null : given.threshold,
    enabled: given.enabled ?? enabled,
  };
}

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
    kinds,
    settings: 'company' as const,
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
    kinds,
    settings: 'company' as const,
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
  async ({ caller, origin, body }, { database }) => {
    const { companyId, company } = caller;
    const wanted = body.items.map((item, index) => recipientOf(item, index));
    requireDistinct(wanted, 'label', ({ label }) => label);
    requireDistinct(wanted, 'mail', ({ mail }) => nameKey(mail));
    const author = authorOf(caller, caller.label, origin);
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
  const isStorable = name.length >= 1 && name.length <= 255 && name.isWellFormed() && !/\p{Cc}/u.test(name);
  if (!isStorable) throw invalidParameter(`items[${index}].label`, name, 'text of 1 to 255 characters');
  return { label: name, mail, language, enabled };
}

/** Throws `invalid_parameter` for two items with the same key. */
function requireDistinct<Item>(items: readonly Item[], field: string, keyOf: (item: Item) => string): void {
  const keys = items.map(keyOf);
  const index = keys.findIndex((key, at) => keys.indexOf(key) !== at);
  if (index >= 0) throw invalidParameter(`items[${index}].${field}`, keys[index], 'one that is given once');
}
