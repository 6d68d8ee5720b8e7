import type { PeerCertificate } from 'node:tls';

/** The names a client's certificate is for: its common name and its DNS names; undefined without one. */
export function certifiedNames({
  subject,
  subjectaltname = '',
}: Partial<Pick<PeerCertificate, 'subject' | 'subjectaltname'>>): string[] | undefined {
  if (subject === undefined) return undefined;
  const dnsNames = subjectaltname.split(', ').flatMap((name) => /^DNS:(.+)$/.exec(name)?.[1] ?? []);
  return [subject.CN ?? [], dnsNames].flat();
}
