import { languageCodes } from '../data/shapes.ts';
import { Glyph } from '../parts/glyph.tsx';
import { Menu } from '../parts/menu.tsx';
import { languages } from '../text/locale.ts';
import { chooseLanguage, language, text } from '../text/text.ts';

/** Changes the language of the page. Every language is written in its own words. */
export function LanguageMenu() {
  const code = language.value;
  return (
    <Menu
      button={
        <>
          <Glyph name="globe" />
          <span class="hidden">{text.language}: </span>
          {code.toUpperCase()}
        </>
      }
    >
      {languageCodes.map((one) => (
        <button
          type="button"
          key={one}
          lang={one}
          aria-current={one === code ? 'true' : undefined}
          onClick={() => void chooseLanguage(one)}
        >
          {languages[one]}
        </button>
      ))}
    </Menu>
  );
}
