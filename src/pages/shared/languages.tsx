import { createContext } from 'preact';
import { useContext } from 'preact/hooks';

/** Everything that a page says, in one language. */
interface PageTexts {
  /** The language's code, as browsers name it. */
  readonly language: string;
  /** The language's own name. */
  readonly languageName: string;
  readonly pageTitle: string;
}

/** Where the browser keeps the language that its user has chosen, for all pages. */
const KEY = 'language';

/**
 * What a page needs to speak several languages.
 * @param languages Its texts; the first language is the default.
 */
export function createLanguage<Texts extends PageTexts>(languages: readonly [Texts, ...Texts[]]) {
  /** The texts that the page shows. */
  const Language = createContext<Texts>(languages[0]);

  /** The texts in the language of the page. */
  const useTexts = (): Texts => useContext(Language);

  /** The language that the visitor has chosen here before, or else the browser's, or else the default. */
  function visitorsLanguage(): Texts {
    const [code] = (chosenLanguage() ?? navigator.language).split('-');
    return languages.find(({ language }) => language === code) ?? languages[0];
  }

  /** The page's title, by default that of its texts, and buttons for its other languages. */
  function PageHeader(props: { readonly title?: string; readonly onChange: (texts: Texts) => void }) {
    const { pageTitle, language: current } = useTexts();
    const { title = pageTitle, onChange } = props;
    return (
      <header class="page-header">
        <p class="page-title">{title}</p>
        {languages
          .filter(({ language }) => language !== current)
          .map((texts) => (
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

  return { Language, useTexts, visitorsLanguage, PageHeader };
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

/** A moment as the visitor writes it. */
export function momentText(at: Date, language: string, options: Intl.DateTimeFormatOptions): string {
  const locale = navigator.languages.find((tag) => tag.split('-')[0] === language) ?? language;
  return new Intl.DateTimeFormat(locale, options).format(at);
}
