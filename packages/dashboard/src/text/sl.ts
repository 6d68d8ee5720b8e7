import { audit } from './audit.sl.ts';
import { conditions } from './conditions.sl.ts';
import { correction } from './correction.sl.ts';
import type { Text } from './en.ts';
import { frame } from './frame.sl.ts';
import { reports } from './reports.sl.ts';
import { settings } from './settings.sl.ts';
import { store } from './store.sl.ts';
import { stores } from './stores.sl.ts';

export const sl: Text = {
  ...audit,
  ...frame,
  ...conditions,
  ...correction,
  ...reports,
  ...settings,
  ...store,
  ...stores,
};
