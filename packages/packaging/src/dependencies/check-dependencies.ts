import { audit } from './audit.ts';
import { refusedLicences } from './licence-policy.ts';
import { shippedPackages } from './shipped.ts';

/**
 * Checks the third-party packages of a release: their licences, and the advisories of the registry. Prints the findings,
 * and returns whether there are none. If the registry does not answer, it prints that, which is not a finding.
 */
export async function checkDependencies(print: (line: string) => void): Promise<boolean> {
  const packages = await shippedPackages();
  const refused = refusedLicences(packages);
  print(`licences: ${packages.length} packages, ${refused.length} refused`);
  refused.forEach(print);
  const answer = await audit();
  if (answer.state === 'clean') print('advisories: none');
  if (answer.state === 'unknown') print(`advisories: not checked: ${answer.reason}`);
  if (answer.state === 'vulnerable') {
    print(`advisories: ${answer.advisories.length}`);
    answer.advisories.forEach(print);
  }
  return refused.length === 0 && answer.state !== 'vulnerable';
}
