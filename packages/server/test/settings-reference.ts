import { fileVariable, type Setting, type SettingsGroup } from '@visitor-counter/service/settings/setting';

/** Settings as tables in Markdown: their names, meanings, allowed values and defaults. */
export function referenceOfSettings(groups: readonly SettingsGroup[]): string {
  return groups
    .map(({ title, settings }) => {
      const rows = Object.entries(settings).map(([name, setting]) => {
        const cells = [shownName(name, setting), setting.does, setting.kind.expected, shownDefault(setting)];
        return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
      });
      const head = '| variable | what it decides | value | default |\n| --- | --- | --- | --- |';
      return `## ${title}\n\n${head}\n${rows.join('\n')}\n`;
    })
    .join('\n');
}

function shownName(name: string, { isSecret }: Setting): string {
  return isSecret ? `\`${name}\`, \`${fileVariable(name)}\`` : `\`${name}\``;
}

function shownDefault(setting: Setting): string {
  return setting.default === undefined ? (setting.otherwise ?? 'none') : `\`${setting.default}\``;
}
