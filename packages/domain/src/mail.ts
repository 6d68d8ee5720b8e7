/** The languages of mails to companies. */
export const mailLanguages = ['en', 'de', 'es', 'sl'] as const;
export type MailLanguage = (typeof mailLanguages)[number];

/** Whether a text has the form of one e-mail address: nothing in it can add another one, or a header. */
export function isMailAddress(text: string): boolean {
  return /^[^\s@,;<>"\p{Cc}]{1,64}@[^\s@,;<>"\p{Cc}]{1,190}$/u.test(text) && text.isWellFormed();
}
