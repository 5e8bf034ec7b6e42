import { createLanguage } from '../languages.tsx';
import { LANGUAGES } from './texts.ts';

export const { Language, useTexts, visitorsLanguage, PageHeader } = createLanguage(LANGUAGES);
