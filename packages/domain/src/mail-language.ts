/** The languages of mails to companies. */
export const mailLanguages = ['en', 'de', 'es', 'sl'] as const;
export type MailLanguage = (typeof mailLanguages)[number];
