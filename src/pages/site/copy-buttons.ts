/** Adds a button to each box of code that copies it. */
export function addCopyButtons(): void {
  for (const code of document.querySelectorAll('main pre')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'Copy';
    button.addEventListener('click', () => {
      navigator.clipboard.writeText(code.textContent).then(
        () => say(button, 'Copied'),
        () => say(button, 'Not copied'),
      );
    });
    const box = document.createElement('div');
    box.className = 'copyable';
    code.replaceWith(box);
    box.append(code, button);
  }
}

function say(button: HTMLElement, text: string): void {
  button.textContent = text;
  setTimeout(() => {
    button.textContent = 'Copy';
  }, 2_000);
}
