import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { LANGUAGES, type Texts } from './texts.ts';

/** Where the browser keeps the language that its user has chosen. */
const KEY = 'certificate-check-language';

/** The texts that the page shows. */
export const Language = createContext<Texts>(LANGUAGES[0]);

/** The texts in the language of the page. */
export function useTexts(): Texts {
  return useContext(Language);
}

/** The language that the visitor has chosen here before, or else the browser's, or else the default. */
export function visitorsLanguage(): Texts {
  const [code] = (chosenLanguage() ?? navigator.language).split('-');
  return LANGUAGES.find(({ language }) => language === code) ?? LANGUAGES[0];
}

// A saved page, and browsers that refuse storage, have none; the choice then lasts as long as the page.
function chosenLanguage(): string | undefined {
  try {
    return localStorage.getItem(KEY) ?? undefined;
  } catch {
    return undefined;
  }
}

function keepLanguage(language: string): void {
  try {
    localStorage.setItem(KEY, language);
  } catch {
    // As above.
  }
}

/** The page's title, and buttons for its other languages. */
export function PageHeader({ onChange }: { readonly onChange: (texts: Texts) => void }) {
  const { pageTitle, language: current } = useTexts();
  return (
    <header class="page-header">
      <p class="page-title">{pageTitle}</p>
      {LANGUAGES.filter(({ language }) => language !== current).map((texts) => (
        <button
          key={texts.language}
          type="button"
          lang={texts.language}
          onClick={() => {
            keepLanguage(texts.language);
            onChange(texts);
          }}
        >
          {texts.languageName}
        </button>
      ))}
    </header>
  );
}
