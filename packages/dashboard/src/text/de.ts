import { audit } from './audit.de.ts';
import { conditions } from './conditions.de.ts';
import { correction } from './correction.de.ts';
import type { Text } from './en.ts';
import { frame } from './frame.de.ts';
import { reports } from './reports.de.ts';
import { settings } from './settings.de.ts';
import { store } from './store.de.ts';
import { stores } from './stores.de.ts';

export const de: Text = {
  ...audit,
  ...frame,
  ...conditions,
  ...correction,
  ...reports,
  ...settings,
  ...store,
  ...stores,
};
