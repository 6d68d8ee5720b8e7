/** A change of the interface; the first entry is the one of the customer's document. */
interface Change {
  readonly operation: string;
  readonly kind: 'added' | 'modified';
  readonly breaking: boolean;
  readonly detail: string;
}

/** Newest first. */
export const changeLog: readonly { readonly version: string; readonly changes: readonly Change[] }[] = [
  {
    version: '1.0.0',
    changes: [
      {
        operation: 'GetAllCountsByCompanyForTodayPublic',
        kind: 'modified',
        breaking: true,
        detail: 'In the 200 response, property InOrOut removed, property Amount added.',
      },
      {
        operation: 'GetCountsBySerialNumberAndDatePublic',
        kind: 'modified',
        breaking: true,
        detail:
          'Body: properties DateFrom and DateTo added; in the 200 response, InOrOut removed and Amount added.',
      },
      {
        operation: 'GetCountsByCompanyAndDatePublic',
        kind: 'added',
        breaking: false,
        detail: 'New operation.',
      },
      {
        operation: 'GetCountsByShopGroupAndDatePublic',
        kind: 'added',
        breaking: false,
        detail: 'New operation.',
      },
    ],
  },
];

/** The change log in Markdown. */
export const changeLogText = [
  '## Change log',
  ...changeLog.flatMap(({ version, changes }) => [`### ${version}`, changes.map(line).join('\n')]),
].join('\n\n');

function line({ operation, kind, breaking, detail }: Change): string {
  return `- ${kind}${breaking ? ', **breaking**' : ''}: \`${operation}\`. ${detail}`;
}
