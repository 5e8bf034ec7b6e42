const STORED = 'language';

/** Shows the samples in the language that was chosen last in this tab, on every page. */
export function keepLanguage(): void {
  const choices = document.querySelectorAll<HTMLInputElement>('input[name="language"]');
  const chosen = sessionStorage.getItem(STORED);
  for (const choice of choices) {
    if (choice.value === chosen) choice.checked = true;
    choice.addEventListener('change', () => sessionStorage.setItem(STORED, choice.value));
  }
}
