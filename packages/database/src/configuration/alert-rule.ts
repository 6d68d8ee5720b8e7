import Type, { type Static } from 'typebox';
import { alertKinds, kindFacts, type RuleKind, ruleProblem } from '../alerts/alert-kinds.ts';
import type { Db } from '../sql/query-builder.ts';
import type { Owner } from './company.ts';
import { invalid } from './read-entry.ts';
import { lockedRow, type Saved, saveRow } from './save-row.ts';
import { duration, parseDuration, threshold, trueOrFalse } from './values.ts';

/** A rule as it is saved, found by its kind of alert. */
export const AlertRule = Type.Object({
  kind: Type.Enum([...alertKinds], { description: `one of ${alertKinds.join(', ')}` }),
  after: Type.Optional(duration),
  threshold: Type.Optional(threshold),
  enabled: Type.Optional(trueOrFalse),
});

/** A kind that is always raised immediately accepts the time that it has, and no other one. */
export async function saveAlertRule(
  trx: Db,
  { id: companyId }: Owner,
  { kind, after: given, threshold, enabled }: Static<typeof AlertRule>,
): Promise<Saved> {
  const key = { companyId, kind };
  const stored = await lockedRow(trx, 'alertRule', key);
  const usual = kindFacts[kind].after;
  const after = typeof given === 'string' ? (parseDuration(given) ?? 0) / 1_000 : given;
  const isSame = after === (stored?.afterSeconds ?? usual);
  const problem = ruleProblem(kind, { after: isSame ? undefined : after, threshold });
  if (problem) throw invalid(problem.field, problem.field === 'after' ? given : threshold, problem.expected);
  const values = {
    afterSeconds: after ?? (stored ? undefined : usual),
    threshold: threshold === 'default' ? null : threshold,
    enabled,
  };
  return await saveRow(trx, 'alertRule', { stored, key, values, fields: { afterSeconds: 'after' } });
}

/** The rules of a company; `threshold` is null for the usual limit. */
export async function alertRulesOf(db: Db, companyId: number) {
  return await db
    .selectFrom('alertRule')
    .select(['kind', 'afterSeconds', 'threshold', 'enabled'])
    .where('companyId', '=', companyId)
    .orderBy('kind')
    .$narrowType<{ kind: RuleKind }>()
    .execute();
}
