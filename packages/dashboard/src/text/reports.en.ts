import { counted } from './locale.ts';

/** Files of a period, and reports by mail. */
export const reports = {
  reports: {
    download: 'Download a period',
    downloadExplain: 'Visitors as a file for a spreadsheet, compared with the same weekdays before.',
    table: 'Table',
    tables: { day: 'By day', hour: 'By hour', week: 'By week', month: 'By month', stores: 'By store' },
    scope: 'Which stores',
    allStores: 'All stores',
    groups: 'Shop groups',
    stores: 'Stores',
    someStores: (n: number) => counted(n, { one: 'store', other: 'stores' }),
    from: 'From',
    to: 'To',
    wrongPeriod: 'Please enter two dates, the earlier one first.',
    byMail: 'Reports by mail',
    explain:
      'A report comes two minutes after the last of its stores has closed, and says whether it is complete. If numbers arrive later and change it, you get a corrected report.',
    none: 'No report is set up yet.',
    add: 'Add a report',
    name: 'Name',
    period: 'How often',
    periods: { daily: 'Every day', weekly: 'Every week', monthly: 'Every month' },
    recipients: 'E-mail addresses, one in each line',
    enabled: 'Send this report',
    off: 'Switched off',
    remove: 'Remove',
    sent: (time: string) => `Last sent ${time}`,
    neverSent: 'Not sent yet',
    problem: 'The last mail could not be sent. The server will try again.',
    refused:
      'This cannot be saved. Please check the addresses, and the name: no other report may have the same one.',
  },
};
