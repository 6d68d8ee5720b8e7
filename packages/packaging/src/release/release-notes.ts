import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';

/** The notes of a version: its section of the changelog. Throws ConfigurationError if it has none. */
export function releaseNotes(changelog: string, version: string): string {
  const sections = changelog.split(/^(?=## )/m);
  const own = sections.find((section) => /^## \[?([^\]\s]+)/.exec(section)?.[1] === version);
  const text = own?.split('\n').slice(1).join('\n').trim();
  if (!text)
    throw new ConfigurationError('CHANGELOG.md', undefined, `a section "## ${version}" with its changes`);
  return `# Visitor Counter ${version}\n\n${text}\n`;
}
