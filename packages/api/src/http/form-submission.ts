import type { Submission } from './submission.ts';

/** Reads a form by the URL standard: what is not UTF-8 becomes U+FFFD, nothing is refused. */
export function formSubmission(text: string): Submission {
  return [...new URLSearchParams(text)];
}
